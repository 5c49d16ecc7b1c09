/** Places to search for the image of a base: grigri's own aliases first, then those of users and remotes. */
import { seriesOfBase, trackOf, type Base } from '../../../core/base.ts';
import type { ProviderConfig } from '../../contract/provider.ts';
import { defined } from '../../../core/defined.ts';

export interface WantedImage {
  readonly base: Base;
  /** Architecture in Juju's terms. */
  readonly arch: string;
  readonly isVm: boolean;
}

/** Simplestreams server of images, and possible aliases of the image there. */
export interface ImageRemote {
  readonly server: string;
  readonly aliases: readonly string[];
  /** PEM certificate, the only one accepted. */
  readonly certificate?: string;
}

const ubuntuServer = 'https://cloud-images.ubuntu.com';
const communityServer = 'https://images.lxd.canonical.com';
/** Distributions on the community server with cloud-init variants that agents can run on. */
const communityNames = new Set(['debian', 'centos', 'almalinux', 'rockylinux', 'opensuse', 'fedora']);

/** Returns the alias of a downloaded image: `juju/debian@12/amd64`, as Juju names them. */
export function ownAlias({ base, arch, isVm }: WantedImage): string {
  return `juju/${base.name}@${trackOf(base)}/${arch}${isVm ? '/vm' : ''}`;
}

/** Returns aliases in order of preference: those known to have cloud-init before those that may lack it. */
export function localAliases(image: WantedImage): string[] {
  const { base, arch } = image;
  const names = releases(base).map((release) => `${base.name}/${release}`);
  // `lxc image copy ubuntu:24.04 local: --copy-aliases` creates these aliases.
  const bare = base.name === 'ubuntu' ? releases(base) : [];
  return [
    ownAlias(image),
    ...names.flatMap((name) => [`${name}/cloud/${arch}`, `${name}/cloud`]),
    ...names.flatMap((name) => [`${name}/${arch}`, name]),
    ...bare.flatMap((name) => [`${name}/${arch}`, name]),
  ];
}

/**
 * Returns the remotes that may have the image; empty when none is known. `certificate`: PEM of the model's own server.
 */
export function remotesFor(
  { base, arch }: WantedImage,
  config: ProviderConfig,
  certificate?: string,
): ImageRemote[] {
  const own = config['image-metadata-url'];
  const withArch = (names: readonly string[]): string[] => names.flatMap((name) => [`${name}/${arch}`, name]);
  const community = releases(base).map((release) => `${base.name}/${release}/cloud`);
  const plain = releases(base).map((release) => `${base.name}/${release}`);
  const ubuntu = base.name === 'ubuntu' ? releases(base) : [];
  return [
    ...(typeof own === 'string' && own !== ''
      ? [
          {
            server: own.replace(/(?<!\/)\/+$/, ''),
            aliases: withArch([...community, ...plain, ...ubuntu]),
            ...defined({ certificate }),
          },
        ]
      : []),
    ...(ubuntu.length > 0
      ? [
          {
            server: `${ubuntuServer}/${config['image-stream'] === 'daily' ? 'daily' : 'releases'}`,
            aliases: withArch(ubuntu),
          },
        ]
      : []),
    ...(communityNames.has(base.name) ? [{ server: communityServer, aliases: withArch(community) }] : []),
  ];
}

/** Returns the names of a release: `12`, `bookworm`; `9-Stream` for CentOS images. */
function releases(base: Base): string[] {
  const track = trackOf(base);
  if (base.name === 'centos') return [`${track}-Stream`, track];
  const series = seriesOfBase(base);
  return series ? [track, series] : [track];
}
