/** Parts of an LXD on its host, found and removed without its help, since it may have been killed. */
import { existsSync, globSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { ask, isAlive, kill, processes, readIfThere, within } from './run.ts';

interface Parts {
  readonly folder: string;
  readonly lxdDir: string;
  readonly bridge: string;
}

export function ofLxd(parts: Parts): { readonly daemons: number[]; readonly traces: string[] } {
  const mine = ownProcesses(parts);
  return {
    daemons: mine.filter((one) => /^(\S*\/)?lxd --group/.test(one.command)).map((one) => one.pid),
    traces: [
      ...mine.map((one) => `process ${one.pid}: ${one.command}`),
      ...mountsBelow(parts.folder).map((mount) => `mount ${mount}`),
      ...loops(parts).map((device) => `loop device ${device}`),
      ...[parts.bridge, secondBridge(parts.bridge)]
        .filter((name) => existsSync(`/sys/class/net/${name}`))
        .map((name) => `link ${name}`),
      ...chains(parts).map((chain) => `in nftables: ${chain}`),
      ...[parts.folder].filter((path) => existsSync(path)),
    ],
  };
}

export async function removeLxd(parts: Parts): Promise<void> {
  // The daemon is killed first: asked to end, it would wait for its containers.
  await kill(ofLxd(parts).daemons, 'SIGKILL');
  const monitors = ownProcesses(parts).filter((one) =>
    one.command.startsWith(`[lxc monitor] ${parts.lxdDir}/`),
  );
  const pids = new Set(monitors.map((one) => one.pid));
  const inits = processes().filter((one) => pids.has(one.parent));
  await kill(
    inits.map((one) => one.pid),
    'SIGKILL',
  );
  // A container's monitor ends after the container.
  await within(5_000, () => ![...pids].some(isAlive));
  await kill(
    ownProcesses(parts).map((one) => one.pid),
    'SIGKILL',
  );
  for (const { command } of monitors) {
    const name = command.split(' ').at(-1)!;
    for (const cgroup of globSync(`/sys/fs/cgroup/{,*/}lxc.{payload,monitor}.${name}`)) removeCgroup(cgroup);
  }
  for (const bridge of [parts.bridge, secondBridge(parts.bridge)]) {
    // A killed container returns its end of the veth pair to the host; both ends are removed together.
    const cables = ask(['ip', '-o', 'link', 'show', 'master', bridge]).matchAll(/^\d+: ([^@:]+)/gm);
    for (const [, cable] of cables) ask(['ip', 'link', 'delete', cable!]);
    ask(['ip', 'link', 'delete', bridge]);
  }
  for (const chain of chains(parts)) ask(['nft', 'delete', 'chain', 'inet', 'lxd', chain]);
  if (/^table inet lxd \{\s*\}$/.test(rules().trim())) ask(['nft', 'delete', 'table', 'inet', 'lxd']);
  for (const mount of mountsBelow(parts.folder).toReversed()) ask(['umount', '-l', mount]);
  for (const device of loops(parts)) ask(['losetup', '-d', device]);
  const room = readIfThere(`${parts.folder}/inotify`);
  if (room !== '') writeFileSync(inotify, room);
  rmSync(parts.folder, { recursive: true, force: true });
}

/** Returns the name of a second bridge, which a test may make. */
export function secondBridge(bridge: string): string {
  return `${bridge}s`;
}

/** Returns the daemon and everything that it or its tests started, except what runs in containers. */
function ownProcesses({ folder, lxdDir }: Parts): ReturnType<typeof processes> {
  return processes().filter(({ pid, command }) => {
    if (command.includes(`${folder}/`)) return true;
    const isLxd = /^(\S*\/)?lxd\b/.test(command);
    return isLxd && readIfThere(`/proc/${pid}/environ`).split('\0').includes(`LXD_DIR=${lxdDir}`);
  });
}

function mountsBelow(path: string): string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((mount) => mount === path || mount.startsWith(`${path}/`));
}

/** Limit of inotify instances per user; a dozen containers, which are all of one user, need more than the default. */
const inotify = '/proc/sys/fs/inotify/max_user_instances';
const inotifyNeeded = 2048;

/** Raises the limit, so that the systemd of each container can watch its files; `removeLxd` restores it. */
export function makeRoom({ folder }: Parts): void {
  const before = readFileSync(inotify, 'utf8').trim();
  if (Number(before) >= inotifyNeeded) return;
  writeFileSync(`${folder}/inotify`, before);
  writeFileSync(inotify, String(inotifyNeeded));
}

/** Returns the loop devices of files below the folder. */
function loops({ folder }: Parts): string[] {
  const lines = ask(['losetup', '--noheadings', '--raw', '-O', 'NAME,BACK-FILE']).split('\n');
  return lines.filter((line) => line.includes(` ${folder}/`)).map((line) => line.split(' ')[0]!);
}

/** Returns the firewall rules; the LXDs of one host share a table. */
function rules(): string {
  return ask(['nft', 'list', 'table', 'inet', 'lxd']);
}
function chains({ bridge }: Parts): string[] {
  const names = [...rules().matchAll(/chain (\S+) \{/g)].map((one) => one[1]!);
  return names.filter((name) => name.endsWith(`.${bridge}`) || name.endsWith(`.${secondBridge(bridge)}`));
}

/** Removes a cgroup with the cgroups below it. Only folders can be removed, not files. */
function removeCgroup(path: string): void {
  for (const below of globSync(`${path}/*/`)) removeCgroup(below);
  try {
    rmdirSync(path);
  } catch {
    // EBUSY: the group's last process has not ended yet; an empty group that is left costs nothing.
  }
}
