/** Image of the containers, built from Debian's packages like a cloud image, with cloud-init. */
import { createHash } from 'node:crypto';
import { mkdirSync, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hostAptSources, sourcesOfSuite } from '../../src/providers/clouds/local/apt-sources.ts';
import { ask, run } from './run.ts';

/** Cache between runs: building takes a minute. */
const cache = '/var/cache/grigri-test/lxd-images';

const packages = [
  'ca-certificates',
  'cloud-init',
  'curl',
  'dbus',
  // netplan makes cloud-init fail in a container, where udevadm does not work.
  'ifupdown',
  'iproute2',
  'iputils-ping',
  'isc-dhcp-client',
  'netbase',
  'nftables',
  'openssh-server',
  'python3',
  'python3-yaml',
  'sudo',
  'systemd',
  'systemd-sysv',
  'udev',
];

const templates: Readonly<Record<string, readonly [path: string, text: string]>> = {
  'hostname.tpl': ['/etc/hostname', '{{ container.name }}\n'],
  'hosts.tpl': [
    '/etc/hosts',
    '127.0.0.1 localhost\n127.0.1.1 {{ container.name }}\n::1 localhost ip6-localhost\n',
  ],
  'meta.tpl': [
    '/var/lib/cloud/seed/nocloud-net/meta-data',
    'instance-id: {{ container.name }}\nlocal-hostname: {{ container.name }}\n',
  ],
  'network.tpl': [
    '/var/lib/cloud/seed/nocloud-net/network-config',
    '{% if config_get("user.network-config", "") == "" %}{"version": 1, "config": [{"type": "physical", "name": "eth0", "subnets": [{"type": "dhcp", "control": "auto"}]}]}{% else %}{{ config_get("user.network-config", "")|safe }}{% endif %}\n',
  ],
  'user.tpl': [
    '/var/lib/cloud/seed/nocloud-net/user-data',
    '{% if config_get("user.user-data", "") == "" %}#cloud-config\n{}{% else %}{{ config_get("user.user-data", "") }}{% endif %}\n',
  ],
};

interface Image {
  /** Name of the base as a charm has it: `debian/12`. */
  readonly alias: string;
  readonly metadata: string;
  readonly root: string;
}

/** Builds the image, or finds the one that an earlier run built by the same recipe. */
export async function ensureImage(say: (message: string) => void): Promise<Image> {
  const arch = ask(['dpkg', '--print-architecture']).trim();
  const metadata = JSON.stringify({
    architecture: arch === 'arm64' ? 'aarch64' : 'x86_64',
    creation_date: 1764547200,
    properties: { os: 'debian', release: 'bookworm', version: '12', description: 'Debian 12, of packages' },
    templates: Object.fromEntries(
      Object.entries(templates).map(([template, [path]]) => [path, { when: ['create', 'copy'], template }]),
    ),
  });
  const recipe = createHash('sha256').update(JSON.stringify([arch, packages, templates, metadata]));
  const name = recipe.digest('hex').slice(0, 16);
  const folder = join(cache, name);
  const image = {
    alias: 'debian/12',
    metadata: join(folder, 'metadata.tar'),
    root: join(folder, 'rootfs.tar'),
  };
  if (existsSync(folder)) return image;

  mkdirSync(cache, { recursive: true });
  // Old entries are of other recipes, or of builds that were killed.
  for (const old of readdirSync(cache)) rmSync(join(cache, old), { recursive: true });
  const part = `${folder}.part`;
  for (const [template, [, text]] of Object.entries(templates)) {
    const path = join(part, 'metadata/templates', template);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  // JSON is valid YAML.
  writeFileSync(join(part, 'metadata/metadata.yaml'), metadata);
  await run(['tar', '-C', join(part, 'metadata'), '-cf', join(part, 'metadata.tar'), '.']);
  say('making an image with mmdebstrap, about a minute…');
  const sources = sourcesOfSuite('bookworm', 'debian', ['main'], hostAptSources());
  if (sources.length === 0) throw new Error('this host’s apt knows no mirror of Debian');
  // A mount namespace makes mounts of mmdebstrap end with it, however it ends.
  const isolated = ['unshare', '--mount', '--pid', '--fork', '--kill-child'];
  await run(
    [
      ...isolated,
      'mmdebstrap',
      '--mode=root',
      '--variant=minbase',
      `--include=${packages.join(',')}`,
      'bookworm',
      join(part, 'rootfs.tar'),
      ...sources,
    ],
    { env: { TMPDIR: part }, timeoutMs: 900_000 },
  );
  renameSync(part, folder);
  return image;
}
