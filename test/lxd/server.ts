/**
 * An LXD of the suite's own, from Debian's packages, without systemd: its folder, bridge and subnet are always the same
 * ones, so that whoever comes next finds what a killed run left. By hand, as root:
 *
 *     node test/lxd/server.ts up      starts it and says how to use it
 *     node test/lxd/server.ts down    removes it with all that is in it
 */
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
  closeSync,
  globSync,
} from 'node:fs';
import { join } from 'node:path';
import { ensureImage } from './image.ts';
import { ask, attempt, ensurePackages, isAlive, kill, processes, run, within, type Output } from './run.ts';

/** Short: a socket's path has room for 107 bytes. */
export const folder = '/var/tmp/grigri-lxd';
const lxdDir = join(folder, 'lxd');
export const socket = join(lxdDir, 'unix.socket');
export const bridge = 'grilxd0';
export const bridgeAddress = '10.79.83.1';
const owner = join(folder, 'owner');

const packages = ['lxd', 'lxd-client', 'dnsmasq-base', 'nftables', 'iproute2', 'mmdebstrap', 'uidmap'];

const preseed = `
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
  driver: dir
profiles:
- name: default
  devices:
    eth0: {name: eth0, network: ${bridge}, type: nic}
    root: {path: /, pool: default, type: disk}
`;

/** For programs that find LXD by themselves. */
export const lxdEnv = { LXD_DIR: lxdDir, LXD_CONF: join(folder, 'client') } as const;

/** Runs LXD's own client; its output. */
export function lxc(...args: string[]): Promise<string> {
  return run(['lxc', ...args], { env: lxdEnv });
}
export function attemptLxc(...args: string[]): Promise<Output> {
  return attempt(['lxc', ...args], { env: lxdEnv });
}
/** GET from LXD's API. */
export async function query<T>(path: string): Promise<T> {
  return JSON.parse(await lxc('query', path)) as T;
}

/**
 * Starts it, empty. What an earlier one left is removed first; one whose suite is alive is not touched: rejects.
 * `keep`: it goes on when this process ends.
 */
export async function up(say: (message: string) => void, { keep = false } = {}): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error('LXD needs root');
  const [other] = readIfThere(owner).split(' ').map(Number);
  if (other && other !== process.pid && isAlive(other) && startOf(other) === readIfThere(owner).split(' ')[1])
    throw new Error(`another run of this suite is going on, process ${other}`);
  await down();
  await ensurePackages(packages);
  const image = await ensureImage(say);
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  if (!keep) writeFileSync(owner, `${process.pid} ${startOf(process.pid)}`);
  await startDaemon();
  await run(['lxd', 'init', '--preseed'], { env: lxdEnv, input: preseed });
  await lxc('image', 'import', image.metadata, image.root, '--alias', image.alias);
}

/** The daemon alone, as it was left: containers go on while it is away. */
export async function startDaemon(): Promise<void> {
  const log = openSync(join(folder, 'daemon.log'), 'a');
  const child = spawn('lxd', ['--group', 'root', '--logfile', join(folder, 'lxd.log')], {
    env: { ...process.env, ...lxdEnv },
    cwd: '/',
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  let failed: string | undefined;
  child.on('error', (error) => (failed = error.message));
  child.unref();
  const ready = await attempt(['lxd', 'waitready', '--timeout', '60'], { env: lxdEnv });
  if (ready.code !== 0 || failed !== undefined)
    throw new Error(
      `LXD did not start: ${failed ?? ready.stderr}\n${readIfThere(join(folder, 'daemon.log'))}`,
    );
}

/** Ends the daemon alone. */
export async function stopDaemon(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
  await kill(daemons(), signal);
}

/** Removes it whole, in whatever state it is; nothing when there is none. */
export async function down(): Promise<void> {
  // First, and without a word: it would only wait for its containers.
  await stopDaemon('SIGKILL');
  const monitors = processes().filter((one) => one.command.startsWith(`[lxc monitor] ${lxdDir}/`));
  const pids = new Set(monitors.map((one) => one.pid));
  await kill(
    processes()
      .filter((one) => pids.has(one.parent))
      .map((one) => one.pid),
    'SIGKILL',
  );
  // A container's monitor ends after it.
  await within(5_000, () => ![...pids].some(isAlive));
  await kill(ours(), 'SIGKILL');
  for (const { command } of monitors) {
    const name = command.split(' ').at(-1)!;
    for (const cgroup of globSync(`/sys/fs/cgroup/{,*/}lxc.{payload,monitor}.${name}`)) removeCgroup(cgroup);
  }
  for (const [, name] of ask(['ip', '-o', 'link', 'show', 'type', 'bridge']).matchAll(
    /^\d+: (grilxd\S*):/gm,
  )) {
    // A killed container gives its end of the cable back to the host; it goes with the other one.
    for (const [, port] of ask(['ip', '-o', 'link', 'show', 'master', name!]).matchAll(/^\d+: ([^@:]+)/gm))
      ask(['ip', 'link', 'delete', port!]);
    ask(['ip', 'link', 'delete', name!]);
  }
  removeRules();
  for (const mount of mountsBelow(folder).toReversed()) ask(['umount', '-l', mount]);
  for (const [device = '', , file = ''] of ask(['losetup', '-n', '-l', '-O', 'NAME,RO,BACK-FILE'])
    .split('\n')
    .map((line) => line.split(/\s+/)))
    if (file.startsWith(`${folder}/`)) ask(['losetup', '-d', device]);
  rmSync(folder, { recursive: true, force: true });
}

/** What is in it and of it, for a comparison of before and after; empty lists where it is not. */
export async function inventory(): Promise<Record<string, unknown>> {
  const all = <T extends object>(path: string): Promise<T[]> =>
    query<T[]>(`/1.0/${path}${path.includes('?') ? '&' : '?'}recursion=1`);
  const [server, instances, profiles, networks, pools, volumes, certificates, projects, images] =
    await Promise.all([
      query<{ config: unknown }>('/1.0'),
      all<{ name: string; project: string }>('instances?all-projects=true'),
      all<Described>('profiles'),
      all<Described & { managed: boolean }>('networks'),
      all<Described>('storage-pools'),
      all<{ name: string; type: string }>('storage-pools/default/volumes'),
      all<{ name: string; fingerprint: string }>('certificates'),
      all<Described>('projects'),
      all<{ fingerprint: string; aliases: unknown; cached: boolean }>('images'),
    ]);
  const plain = ({ name, config, devices }: Described): unknown => ({ name, config, devices });
  return {
    server: server.config,
    instances: instances.map((one) => `${one.project}/${one.name}`),
    profiles: profiles.map(plain),
    networks: networks.filter((one) => one.managed).map(plain),
    pools: pools.map(plain),
    volumes: volumes.map((one) => `${one.type}/${one.name}`),
    certificates: certificates.map((one) => `${one.name} ${one.fingerprint}`),
    projects: projects.map(plain),
    images: images.map((one) => ({ fingerprint: one.fingerprint, aliases: one.aliases })),
  };
}
interface Described {
  readonly name: string;
  readonly config: unknown;
  readonly devices?: unknown;
}

/** What is on the host of it: empty once it is down. */
export function traces(): string[] {
  return [
    ...ours().map((pid) => `process ${pid}: ${processes().find((one) => one.pid === pid)?.command}`),
    ...mountsBelow(folder).map((mount) => `mount ${mount}`),
    ...ask(['ip', '-o', 'link'])
      .split('\n')
      .filter((line) => line.includes('grilxd')),
    ...ask(['nft', 'list', 'tables'])
      .split('\n')
      .filter((line) => line.includes('grilxd')),
    ...chainsOfOurs(),
    ...(existsSync(folder) ? [folder] : []),
  ];
}

/** Of the daemon and all that it started, except what runs in containers. */
function ours(): number[] {
  return processes()
    .filter(({ pid, command }) => {
      if (pid === process.pid) return false;
      if (command.includes(`${lxdDir}/`)) return true;
      return (
        /^(\S*\/)?lxd\b/.test(command) &&
        readIfThere(`/proc/${pid}/environ`).split('\0').includes(`LXD_DIR=${lxdDir}`)
      );
    })
    .map((one) => one.pid);
}

function daemons(): number[] {
  const all = processes();
  return ours().filter((pid) =>
    /^(\S*\/)?lxd --group/.test(all.find((one) => one.pid === pid)?.command ?? ''),
  );
}

function mountsBelow(path: string): string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((mount) => mount === path || mount.startsWith(`${path}/`));
}

function chainsOfOurs(): string[] {
  return [...ask(['nft', 'list', 'table', 'inet', 'lxd']).matchAll(/chain (\S+\.grilxd\S*) \{/g)].map(
    (one) => one[1]!,
  );
}
function removeRules(): void {
  for (const chain of chainsOfOurs()) ask(['nft', 'delete', 'chain', 'inet', 'lxd', chain]);
  if (/^table inet lxd \{\s*\}$/.test(ask(['nft', 'list', 'table', 'inet', 'lxd']).trim()))
    ask(['nft', 'delete', 'table', 'inet', 'lxd']);
}

/** With those below it. A cgroup is empty, and its files are no files. */
function removeCgroup(path: string): void {
  for (const below of globSync(`${path}/*/`)) removeCgroup(below);
  try {
    rmdirSync(path);
  } catch {
    // Its last process is not gone yet; an empty group costs nothing.
  }
}

/** When the process began, by which it is told from a later one of its number. */
function startOf(pid: number): string {
  const stat = readIfThere(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

if (import.meta.main) {
  const [command] = process.argv.slice(2);
  if (command === 'up') {
    await up((message) => console.log(message), { keep: true });
    console.log(`LXD is up: export LXD_DIR=${lxdDir} LXD_CONF=${lxdEnv.LXD_CONF}`);
  } else if (command === 'down') {
    await down();
    for (const trace of traces()) console.error(`left: ${trace}`);
  } else {
    console.error('usage: server.ts up|down');
    process.exitCode = 2;
  }
}
