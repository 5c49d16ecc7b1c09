import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findCgroups, type CgroupLayout } from './cgroups.ts';
import { hostEnv } from './run.ts';
import { removeStaleFolders } from '../../../kit/stale-folders.ts';
import { makeFolderSync } from '../../../kit/make-folder.ts';

/** Isolation that this host permits. */
export interface Capabilities {
  /** Private mounts over the host's root, processes and hostname. The members below require it. */
  readonly sandbox: boolean;
  /** A private address on a bridge, and a firewall. */
  readonly network: boolean;
  readonly cgroups: CgroupLayout | undefined;
  /** Volumes are file systems of their own size, on loop devices; without them they are folders. */
  readonly loops: boolean;
}

/**
 * Tries once, in namespaces that vanish with the probe, all steps of making a machine over `lower`: checking the user's
 * id instead would be wrong in containers and with capabilities. Leaves nothing behind; takes about 40 ms.
 */
export function probeCapabilities(
  stateDir: string,
  lower = '/',
  findLimits: () => CgroupLayout | undefined = findCgroups,
): Capabilities {
  const none = { sandbox: false, network: false, cgroups: undefined, loops: false };
  if (process.platform !== 'linux') return none;
  if (!canOverlay(stateDir, lower)) return none;
  return { sandbox: true, network: canNetwork(), cgroups: findLimits(), loops: canLoop(stateDir) };
}

/**
 * Describes the isolation to users; `namespaces+overlay+network+firewall+cgroups` is complete. `isOpen`: the model has
 * no firewall.
 */
export function isolationText({ sandbox, network, cgroups, loops }: Capabilities, isOpen = false): string {
  if (!sandbox) return 'process (no root: shares files, network, processes)';
  const features = [
    'namespaces',
    'overlay',
    ...(network ? ['network'] : []),
    ...(network && !isOpen ? ['firewall'] : []),
    ...(cgroups ? ['cgroups'] : []),
  ];
  const lacks = [
    ...(network ? [] : ['no network of its own, no firewall']),
    ...(cgroups ? [] : ['no limits']),
    ...(loops ? [] : ['no sizes of volumes']),
  ];
  return features.join('+') + (lacks.length > 0 ? ` (${lacks.join(', ')})` : '');
}

/**
 * Returns options of overlay mounts, with a leading comma. A root user that is not the host's (in an LXD container) may
 * not set trusted.* attributes, and without extended attributes folders cannot be made opaque.
 */
export function overlayOptions(): string {
  const [map = ''] = readFileSync('/proc/self/uid_map', 'utf8').split('\n');
  return /^\s*0\s+0\s+4294967295$/.test(map) ? '' : ',userxattr';
}

function canOverlay(stateDir: string, lower: string): boolean {
  const namespaces = ['--mount', '--pid', '--uts', '--ipc', '--cgroup', '--fork'];
  const script = ['sh', '-ec', overlayProbe, 'sh', lower, overlayOptions()];
  return tryIn(stateDir, ['unshare', ...namespaces, ...script]);
}

/** Tells whether machines can mount files: mounts end with the namespace, and a loop device with its last mount. */
function canLoop(stateDir: string): boolean {
  return tryIn(stateDir, ['unshare', '--mount', 'sh', '-ec', loopProbe]);
}

const loopProbe = `
truncate -s 1M disk
mkfs.ext4 -q -F disk
[ -e /dev/loop-control ] || mount -t devtmpfs devtmpfs /dev
mount -o loop disk merged`;

const prefix = '.probe-';

/** Runs the probe in a folder that is removed after it. */
function tryIn(stateDir: string, argv: readonly [string, ...string[]]): boolean {
  let folder: string | undefined;
  try {
    makeFolderSync(stateDir, 0o700);
    removeStaleFolders(stateDir, prefix);
    folder = mkdtempSync(join(stateDir, prefix));
    for (const name of ['upper', 'work', 'merged']) mkdirSync(join(folder, name));
    return succeeds(argv, folder);
  } catch {
    return false;
  } finally {
    if (folder) rmSync(folder, { recursive: true, force: true });
  }
}

const overlayProbe = `
mount --make-rprivate /
mknod upper/home c 0 0
mount -t overlay overlay -o "lowerdir=$1,upperdir=upper,workdir=work$2" merged
mkdir merged/home
mount -t proc proc merged/proc
hostname probe
command -v pivot_root setpriv nsenter`;

function canNetwork(): boolean {
  return succeeds(['unshare', '--net', 'sh', '-ec', networkProbe], '/');
}

const networkProbe = `
ip link add probe0 type bridge
ip link add probe1 type veth peer name probe2
ip link set probe1 master probe0
nft -f - <<'N'
table inet probe {
  chain nat { type nat hook postrouting priority srcnat; oifname != "probe*" masquerade; }
  chain input { type filter hook input priority filter; policy drop; ct state established,related accept; }
}
N`;

function succeeds(argv: readonly [string, ...string[]], cwd: string): boolean {
  const [program, ...args] = argv;
  return spawnSync(program, args, { cwd, env: hostEnv(), stdio: 'ignore', timeout: 10_000 }).status === 0;
}
