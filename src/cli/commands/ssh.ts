import { command, modelFlags } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { UsageError } from '../errors.ts';
import { bool, maybe, text } from '../flags.ts';
import { sshKeyFile } from '../files/ssh-key.ts';
import { parseSshArguments, splitLogin, type SshArguments } from '../ssh/arguments.ts';
import { checkEnterable, entranceOf, loginShell } from '../ssh/enter.ts';
import { isProxied, wayTo } from '../ssh/hosts.ts';
import { runWithHosts } from '../ssh/session.ts';
import { findTarget, fullStatus, isPlainHost } from '../ssh/targets.ts';

/** Flags of the commands that reach machines by ssh. */
export const sshFlags = {
  ...modelFlags,
  container: text('--container', 'The container name of the target pod'),
  noHostKeyChecks: bool('--no-host-key-checks', 'Skip host key checking (INSECURE)'),
  proxy: maybe('--proxy', 'Proxy through the API server'),
  remote: bool('--remote', 'Target on the workload or operator pod (k8s-only)'),
};

export const ptyFlag = maybe('--pty', 'Enable pseudo-tty allocation');

export const ssh = command({
  name: 'ssh',
  summary: 'Initiates an SSH session or executes a command on a Juju machine or container.',
  usage: '<[user@]target> [openssh options] [command]',
  details: `The target is a machine or container (0, 0/lxd/1), a unit (mysql/0, mysql/leader), or another host by its address.
Machines of a local controller are entered directly, as root; others by the system's ssh, as user ubuntu with the client's key.
Only host keys that the machine's agent has reported are accepted. Containers are reached through their hosts, and with
--proxy all through the controller's host. Without a command, a login shell is started. The exit code is the command's.`,
  examples: [
    'ssh 0',
    'ssh mysql/0',
    'ssh ubuntu@mysql/leader',
    'ssh mysql/0 tail -f /var/log/syslog',
    'ssh --proxy 0/lxd/1',
    'ssh mysql/0 -L 8080:localhost:80',
  ],
  seeAlso: ['scp', 'exec', 'debug-hooks'],
  interspersed: false,
  completes: ['unit'],
  flags: { ...sshFlags, pty: ptyFlag },
  async run(context, flags, args) {
    const [login, ...rest] = args;
    if (!login) throw new UsageError('no target name specified');
    const { user, name } = splitLogin(login);
    const given = parseSshArguments(rest);
    const pty = flags.pty ?? context.io.stdin.isTTY;
    if (isPlainHost(name))
      return sshToHost(context, { login, pty, args: given, checks: !flags.noHostKeyChecks });
    return sshTo(context, { ...flags, pty }, { name, user: user || given.user, args: given });
  },
});

interface SshFlags {
  readonly model: string;
  readonly proxy: boolean | undefined;
  readonly noHostKeyChecks: boolean;
  readonly pty: boolean;
}

/** Connects to a target of the model. Resolves with the exit code. */
async function sshTo(
  context: CommandContext,
  flags: SshFlags,
  { name, user, args }: { readonly name: string; readonly user: string; readonly args: SshArguments },
): Promise<number> {
  const { io } = context;
  const session = await context.openModel(flags.model);
  const status = await fullStatus(session.connection);
  const { machine } = findTarget(context, status, name);
  const entrance = await entranceOf(context, session, status);
  const argv = await entrance?.(machine, { user, tty: io.stdin.isTTY && io.stdout.isTTY });
  if (argv) {
    await session.connection.close();
    checkEnterable(args);
    return io.runOnTerminal([...argv, 'sh', '-c', args.command.join(' ') || loginShell]);
  }
  const way = {
    proxy: await isProxied(session, flags.proxy),
    noHostKeyChecks: flags.noHostKeyChecks,
    port: args.port,
  };
  const hosts = await wayTo(context, session, { machine, way, user });
  await session.connection.close();
  return runWithHosts(context, hosts, (configFile) => [
    'ssh',
    '-F',
    configFile,
    ...(flags.pty ? ['-t', '-t'] : []),
    ...args.options,
    hosts[0]!.alias,
    ...(args.command.length > 0 ? ['--', ...args.command] : []),
  ]);
}

/** Connects to a host that is no machine: its keys are those that the user's own ssh knows. */
async function sshToHost(
  context: CommandContext,
  params: {
    readonly login: string;
    readonly pty: boolean;
    readonly checks: boolean;
    readonly args: SshArguments;
  },
): Promise<number> {
  const { login, pty, checks, args } = params;
  return context.io.runOnTerminal([
    'ssh',
    '-i',
    sshKeyFile((await context.store()).dir),
    ...(checks ? [] : ['-o', 'StrictHostKeyChecking no', '-o', 'UserKnownHostsFile /dev/null']),
    ...(pty ? ['-t', '-t'] : []),
    ...args.options,
    '--',
    login,
    ...args.command,
  ]);
}
