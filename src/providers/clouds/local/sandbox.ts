/** Machines with their own root file system, processes, name and, where possible, network. */
import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../../../kit/clock.ts';
import type { StartParams } from '../../contract/provider.ts';
import {
  agentCommand,
  agentServiceName,
  agentUnit,
  machineTag,
} from '../../toolkit/user-data/agent-service.ts';
import { overlayOptions } from './capabilities.ts';
import type { MachineGroups } from './cgroups.ts';
import { systemd, type Init } from './first-process.ts';
import { sandboxMark } from './machines.ts';
import { hiddenFolders, type HiddenFolders } from './hidden.ts';
import { launch } from './launch.ts';
import { toolsAt } from './places.ts';
import {
  initScript,
  joinIfPossibleScript,
  joinScript,
  machineScript,
  rebootCommand,
  setprivOptions,
  sshServerScript,
} from './scripts.ts';
import { makeFolder } from '../../../kit/make-folder.ts';

const ownNamespaces = ['unshare', '--mount', '--pid', '--uts', '--ipc', '--fork'];
/** Environment entry that tells the agent that a reboot here restarts the sandbox. */
const mark = `${sandboxMark.name}=${sandboxMark.value}`;
const machineEnv = [
  'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  'HOME=/root',
  'USER=root',
  'LOGNAME=root',
  'SHELL=/bin/bash',
  'LANG=C.UTF-8',
  mark,
];

/**
 * systemd setting that shortens the stop timeout of units without one of their own from 90 s, so that reboots are
 * quick.
 */
const quickStops = '[Manager]\nDefaultTimeoutStopSec=5s\n';

interface SandboxParams {
  readonly folder: string;
  /** Folder of the model's volumes; absent = the machine has none. */
  readonly volumes?: string;
  readonly hostname: string;
  /** Path of the network namespace; undefined = the host's network. */
  readonly netnsPath: string | undefined;
  readonly address: string;
  readonly cgroups: MachineGroups | undefined;
  readonly init: Init;
  /** Root file system below the machine's own: `/`, or an image's. */
  readonly lower: string;
  /** Folder of the root file systems of other bases, for containers on the machine. */
  readonly images: string;
  /** True when the machine can have containers. */
  readonly containers: boolean;
  /** True when the minimal first process also runs an ssh server. */
  readonly sshServer: boolean;
  /** Folders of the host that no machine may see. */
  readonly hidden: HiddenFolders;
  readonly start: StartParams;
  readonly clock: Clock;
}

/** Creates the root and starts the machine's first process. The upper layer of an earlier start is kept. */
export async function startSandbox(params: SandboxParams, signal: AbortSignal): Promise<void> {
  const { folder, hostname, netnsPath, cgroups, init, hidden, start, clock } = params;
  const { machineId, agent } = start;
  const logFile = `/var/log/juju/${machineTag(machineId)}.log`;
  const command = agentCommand(machineId, toolsAt, agent.dataDir);
  await writeFiles(folder, {
    'machine.sh': machineScript,
    'files/etc/hostname': `${hostname}\n`,
    'files/etc/hosts': `127.0.0.1 localhost\n${params.address} ${hostname}\n::1 localhost ip6-localhost ip6-loopback\n`,
    'files/etc/resolv.conf': await resolvConf(netnsPath !== undefined),
    'files/run/boot-id': `${randomUUID()}\n`,
    ...(init === 'systemd'
      ? {
          // An empty machine-id makes systemd generate one.
          'files/etc/machine-id': '',
          [`files/etc/systemd/system/${agentServiceName(machineId)}.service`]: agentUnit(
            machineId,
            command,
            logFile,
            // systemd does not pass its own environment on to services.
            [mark],
          ),
          'files/etc/systemd/system.conf.d/grigri.conf': quickStops,
        }
      : {
          'files/run/utmp': runlevelRecord(),
          'files/run/grigri/init': initScript,
          ...(params.sshServer ? { 'files/run/grigri/ssh-server': sshServerScript } : {}),
          'files/usr/local/sbin/reboot': rebootCommand,
          'files/usr/local/sbin/shutdown': rebootCommand,
        }),
  });
  await makeFolder(join(folder, 'data'), 0o755);
  const first =
    init === 'systemd' ? [systemd] : ['sh', '/run/grigri/init', logFile, '/run/boot-id', ...command];
  await launch({
    folder,
    argv: joinCgroups(joinScript, cgroups?.limits, [
      ...(netnsPath ? ['nsenter', `--net=${netnsPath}`] : []),
      // The new cgroup namespace limits the view of the machine to the groups joined so far.
      'unshare',
      '--cgroup',
      ...joinCgroups(joinScript, cgroups?.processes, [
        ...ownNamespaces,
        'sh',
        join(folder, 'machine.sh'),
        ...asMachineRoot(first),
      ]),
    ]),
    env: {
      FOLDER: folder,
      VOLUMES: params.volumes ?? '',
      NAME: hostname,
      TOOLS: agent.toolsDir,
      TOOLS_AT: toolsAt,
      DATA_DIR: agent.dataDir,
      LOWER: params.lower,
      LOWERS: (await lowerMounts(params.lower)).join(' '),
      OVERLAY: overlayOptions(),
      IMAGES: params.images,
      INIT: init,
      AGENT_UNIT: `${agentServiceName(machineId)}.service`,
      OWN_NETWORK: netnsPath ? 'yes' : '',
      CONTAINERS: params.containers ? 'yes' : '',
      HIDDEN: (await hiddenFolders(hidden)).join('\n'),
    },
    clock,
    signal,
  });
}

/**
 * Returns the argv that runs a command, to be appended, in the machine whose first process is `pid`. The command's
 * parent is a shell: nsenter would stop together with its child and miss its end. A systemd that shuts down stops all
 * processes before it kills them, and a machine exists until the last of them has been waited for.
 */
export function enterSandbox(
  pid: number,
  cgroups: MachineGroups | undefined,
  { tty }: { tty: boolean },
): string[] {
  const enter = ['nsenter', `--target=${pid}`];
  const otherNamespaces = ['--mount', '--uts', '--ipc', '--net', '--cgroup', '--root', '--wd'];
  const groups = cgroups?.processes.length ? cgroups.processes : cgroups?.limits;
  const inPidNamespace = [...enter, '--pid', '--no-fork', 'sh', '-c', '"$@"; exit $?', 'sh'];
  const inOthers = [...enter, ...otherNamespaces, ...asMachineRoot([], tty)];
  return joinCgroups(joinIfPossibleScript, groups, [...inPidNamespace, ...inOthers]);
}

function joinCgroups(
  script: string,
  folders: readonly string[] = [],
  argv: readonly string[],
): [string, ...string[]] {
  return ['sh', '-c', script, 'sh', ...folders, '--', ...argv];
}

function asMachineRoot(argv: readonly string[], tty = false): string[] {
  return [
    'setpriv',
    ...setprivOptions,
    'env',
    '-i',
    '--chdir=/root',
    ...machineEnv,
    ...(tty ? ['TERM=xterm-256color'] : []),
    ...argv,
  ];
}

/**
 * Builds utmp's record of "runlevel 2": without it Debian's invoke-rc.d starts no service when a package is installed.
 * Layout: struct utmp of x86-64 and arm64 glibc, 384 or 400 bytes.
 */
function runlevelRecord(): Buffer {
  const record = Buffer.alloc(process.arch === 'arm64' ? 400 : 384);
  record.writeInt16LE(1, 0);
  record.write('2N', 4, 'latin1');
  record.write('~', 8, 'latin1');
  record.write('~~', 40, 'latin1');
  record.write('runlevel', 44, 'latin1');
  return record;
}

async function writeFiles(folder: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  await rm(join(folder, 'files'), { recursive: true, force: true });
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    await makeFolder(dirname(path), 0o755);
    await writeFile(path, content, { mode: name.includes('/sbin/') ? 0o755 : 0o644 });
  }
}

/**
 * Reads the host's DNS servers. A local resolver cannot be reached from another network; systemd keeps the real servers
 * in a second file.
 */
async function resolvConf(ownNetwork: boolean): Promise<string> {
  const text = await readFile('/etc/resolv.conf', 'utf8').catch(() => '');
  const servers = [...text.matchAll(/^[ \t]*nameserver[ \t]+(\S+)/gm)].map((match) => match[1] ?? '');
  if (!ownNetwork || servers.some((server) => !/^(127\.|::1$)/.test(server))) return text;
  return await readFile('/run/systemd/resolve/resolv.conf', 'utf8').catch(() => text);
}

/**
 * Lists file systems with software that are mounted below a root, because an overlay's lower layer does not include
 * them.
 */
async function lowerMounts(root: string): Promise<string[]> {
  const layered = [
    '/etc',
    '/opt',
    '/srv',
    '/usr',
    '/usr/local',
    '/var',
    '/var/lib',
    '/var/cache',
    '/var/log',
  ];
  const points = (await readFile('/proc/self/mountinfo', 'utf8'))
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '');
  return layered.filter((path) => points.includes(join(root, path)));
}
