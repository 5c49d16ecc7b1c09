/**
 * LXDs of the suite's own, from Debian's packages, without systemd: their folders, bridges and subnets are always the
 * same ones, so that whoever comes next finds what a killed run left. By hand, as root:
 *
 *     node test/lxd/server.ts up      starts the first one and says how to use it
 *     node test/lxd/server.ts down    removes it with all that is in it
 */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureImage } from './image.ts';
import { makeRoom, ofLxd, removeLxd, secondBridge } from './on-host.ts';
import {
  ask,
  attempt,
  ensurePackages,
  isAlive,
  kill,
  readIfThere,
  run,
  startOf,
  type Output,
} from './run.ts';

export interface Lxd {
  /** Folder `/var/tmp/grigri-lxd0`: short, because a socket's path is limited to 107 bytes. */
  readonly folder: string;
  readonly socket: string;
  readonly bridge: string;
  readonly bridgeAddress: string;
  /** Name of a second bridge, which a test may make. */
  readonly secondBridge: string;
  /** Folder for files of the server's tests. */
  readonly tmp: string;
  /** Environment for programs that find LXD by themselves. */
  readonly env: { readonly LXD_DIR: string; readonly LXD_CONF: string };
  /** Runs LXD's own client. Returns its output. */
  lxc(...args: string[]): Promise<string>;
  attempt(...args: string[]): Promise<Output>;
  /** Sends GET to LXD's API. */
  query<T>(path: string): Promise<T>;
  /**
   * Starts the server, empty, after removing leftovers of an earlier one. Rejects when the earlier server's suite is
   * still running. `keep`: the server goes on when this process ends.
   */
  up(say: (message: string) => void, options?: { readonly keep?: boolean }): Promise<void>;
  /** Starts the daemon alone: containers go on while it is stopped. */
  start(): Promise<void>;
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Removes the server completely, in whatever state it is; does nothing when there is none. */
  down(): Promise<void>;
  /** Returns everything that the server has, for a comparison of before and after. */
  inventory(): Promise<Record<string, unknown>>;
  /** Returns traces of the server on this host: none once it is down. */
  traces(): string[];
}

const packages = [
  'btrfs-progs',
  'dnsmasq-base',
  'iproute2',
  'lxd',
  'lxd-client',
  'mmdebstrap',
  'nftables',
  'uidmap',
];

/**
 * Returns the n-th LXD, which may not exist yet. `quick`: its containers are copies-on-write in a file, where the
 * kernel has btrfs, and created in a fraction of a second.
 */
export function lxdAt(n: number, { quick }: { readonly quick: boolean }): Lxd {
  const folder = `/var/tmp/grigri-lxd${n}`;
  const lxdDir = join(folder, 'lxd');
  const tmp = join(folder, 'tmp');
  const env = { LXD_DIR: lxdDir, LXD_CONF: join(folder, 'client') };
  const bridge = `grilxd${n}`;
  const bridgeAddress = `10.79.${83 + n}.1`;
  const owner = join(folder, 'owner');
  const parts = { folder, lxdDir, bridge };

  const lxc: Lxd['lxc'] = (...args) => run(['lxc', ...args], { env });
  const query = async <T>(path: string): Promise<T> => JSON.parse(await lxc('query', path)) as T;

  async function start(): Promise<void> {
    const log = openSync(join(folder, 'daemon.log'), 'a');
    const child = spawn('lxd', ['--group', 'root', '--logfile', join(folder, 'lxd.log')], {
      env: { ...process.env, ...env },
      cwd: '/',
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    let failed: string | undefined;
    child.on('error', (error) => (failed = error.message));
    child.unref();
    const ready = await attempt(['lxd', 'waitready', '--timeout', '240'], { env, timeoutMs: 300_000 });
    if (ready.code !== 0 || failed !== undefined)
      throw new Error(
        `LXD did not start: ${failed ?? ready.stderr}\n${readIfThere(join(folder, 'daemon.log'))}`,
      );
  }

  return {
    folder,
    socket: join(lxdDir, 'unix.socket'),
    bridge,
    bridgeAddress,
    secondBridge: secondBridge(bridge),
    tmp,
    env,
    lxc,
    attempt: (...args) => attempt(['lxc', ...args], { env }),
    query,
    start,
    stop: (signal = 'SIGTERM') => kill(ofLxd(parts).daemons, signal),
    down: () => removeLxd(parts),
    traces: () => ofLxd(parts).traces,
    async up(say, { keep = false } = {}) {
      if (process.getuid?.() !== 0) throw new Error('LXD needs root');
      const [other = '', began] = readIfThere(owner).split(' ');
      if (other !== String(process.pid) && isAlive(Number(other)) && startOf(Number(other)) === began)
        throw new Error(`another run of this suite is going on, process ${other}`);
      await removeLxd(parts);
      await ensurePackages(packages);
      const image = await ensureImage(say);
      mkdirSync(tmp, { recursive: true, mode: 0o755 });
      if (!keep) writeFileSync(owner, `${process.pid} ${startOf(process.pid)}`);
      makeRoom(parts);
      await start();
      await run(['lxd', 'init', '--preseed'], {
        env,
        input: preseed(bridge, bridgeAddress, quick && hasBtrfs()),
      });
      await lxc('image', 'import', image.metadata, image.root, '--alias', image.alias);
    },
    async inventory() {
      const all = <T extends object>(path: string): Promise<T[]> =>
        query<T[]>(`/1.0/${path}${path.includes('?') ? '&' : '?'}recursion=1`);
      const plain = ({ name, config, devices }: Described): unknown => ({ name, config, devices });
      const { config } = await query<{ config: unknown }>('/1.0');
      const instances = await all<{ name: string; project: string }>('instances?all-projects=true');
      const networks = await all<Described & { managed: boolean }>('networks');
      const pools = await all<Described>('storage-pools');
      const volumes = await Promise.all(
        pools.map(({ name }) => all<{ name: string; type: string }>(`storage-pools/${name}/volumes`)),
      );
      const certificates = await all<{ name: string; fingerprint: string }>('certificates');
      const images = await all<{ fingerprint: string; aliases: unknown }>('images');
      return {
        config,
        instances: instances.map((one) => `${one.project}/${one.name}`),
        profiles: (await all<Described>('profiles')).map(plain),
        networks: networks.filter((one) => one.managed).map(plain),
        pools: pools.map(plain),
        // Image volumes are a cache, and do not count.
        volumes: volumes.flat().flatMap(({ type, name }) => (type === 'image' ? [] : [`${type}/${name}`])),
        certificates: certificates.map((one) => `${one.name} ${one.fingerprint}`),
        projects: (await all<Described>('projects')).map(plain),
        images: images.map((one) => ({ fingerprint: one.fingerprint, aliases: one.aliases })),
      };
    },
  };
}

interface Described {
  readonly name: string;
  readonly config: unknown;
  readonly devices?: unknown;
}

/** LXD that most tests use. */
export const lxd = lxdAt(0, { quick: true });
/**
 * LXD that is stopped, filled up and restarted. When it is killed while it works on a container, btrfs keeps a part of
 * the container that LXD cannot remove.
 */
export const frailLxd = lxdAt(1, { quick: false });
/** LXD that has nothing but a controller of its own, after which it must be as before. */
export const emptyLxd = lxdAt(2, { quick: false });
/** LXD that is used over https alone. */
export const remoteLxd = lxdAt(3, { quick: true });
export const allLxds = [lxd, frailLxd, emptyLxd, remoteLxd];

function hasBtrfs(): boolean {
  ask(['modprobe', 'btrfs']);
  return /\bbtrfs$/m.test(readFileSync('/proc/filesystems', 'utf8'));
}

function preseed(bridge: string, bridgeAddress: string, quick: boolean): string {
  return `
config: {}
networks:
- name: ${bridge}
  type: bridge
  config:
    ipv4.address: ${bridgeAddress}/24
    ipv4.nat: "true"
    ipv6.address: none
storage_pools:
- name: default
  driver: ${quick ? 'btrfs' : 'dir'}
  config: {${quick ? 'size: 20GiB' : ''}}
profiles:
- name: default
  devices:
    eth0: {name: eth0, network: ${bridge}, type: nic}
    root: {path: /, pool: default, type: disk}
`;
}

if (import.meta.main) {
  const [command] = process.argv.slice(2);
  if (command === 'up') {
    await lxd.up((message) => console.log(message), { keep: true });
    console.log(`LXD is up: export LXD_DIR=${lxd.env.LXD_DIR} LXD_CONF=${lxd.env.LXD_CONF}`);
  } else if (command === 'down') {
    for (const one of allLxds) {
      await one.down();
      for (const trace of one.traces()) console.error(`left: ${trace}`);
    }
  } else {
    console.error('usage: server.ts up|down');
    process.exitCode = 2;
  }
}
