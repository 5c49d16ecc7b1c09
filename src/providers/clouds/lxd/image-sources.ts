/** Where the image of a base is looked for: names of our own first, then those that people and remotes use. */
import { seriesOfBase, trackOf, type Base } from '../../../core/base.ts';
import type { ProviderConfig } from '../../contract/provider.ts';

export interface WantedImage {
  readonly base: Base;
  /** In Juju's words. */
  readonly arch: string;
  readonly isVm: boolean;
}

/** A server of images over simplestreams, and what the image may be called there. */
export interface ImageRemote {
  readonly server: string;
  readonly aliases: readonly string[];
  /** PEM: the only one that is accepted. */
  readonly certificate?: string;
}

const ubuntuServer = 'https://cloud-images.ubuntu.com';
const communityServer = 'https://images.lxd.canonical.com';
/** What that one has with cloud-init, of what an agent may run on. */
const communityNames = new Set(['debian', 'centos', 'almalinux', 'rockylinux', 'opensuse', 'fedora']);

/** The alias that an image gets when it is fetched: `juju/debian@12/amd64`, as Juju names them. */
export function ownAlias({ base, arch, isVm }: WantedImage): string {
  return `juju/${base.name}@${trackOf(base)}/${arch}${isVm ? '/vm' : ''}`;
}

/** In the order that they are taken in: those that have cloud-init for sure before those that may not. */
export function localAliases(wanted: WantedImage): string[] {
  const { base, arch } = wanted;
  const names = releases(base).map((release) => `${base.name}/${release}`);
  // `lxc image copy ubuntu:24.04 local: --copy-aliases` leaves these.
  const bare = base.name === 'ubuntu' ? releases(base) : [];
  return [
    ownAlias(wanted),
    ...names.flatMap((name) => [`${name}/cloud/${arch}`, `${name}/cloud`]),
    ...names.flatMap((name) => [`${name}/${arch}`, name]),
    ...bare.flatMap((name) => [`${name}/${arch}`, name]),
  ];
}

/** Empty: nobody is known to have such an image. `certificate` (PEM): of the model's own server. */
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
            ...(certificate === undefined ? {} : { certificate }),
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

/** `12`, `bookworm`; `9-Stream`, as CentOS' images are named. */
function releases(base: Base): string[] {
  const track = trackOf(base);
  if (base.name === 'centos') return [`${track}-Stream`, track];
  const series = seriesOfBase(base);
  return series ? [track, series] : [track];
}
