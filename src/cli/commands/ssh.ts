import { JujuError, notFound } from '../../core/errors.ts';
import { isMachineId } from '../../core/names.ts';
import type { MachineStatus, UnitStatus } from '../../wire/facades/client.ts';
import { call, type ResultOf } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import type { ModelSession } from '../../operate/sessions.ts';
import type { CommandContext } from '../context.ts';
import { UsageError } from '../errors.ts';
import { hostKeyAlias, knownHostsFile } from '../files/known-hosts.ts';
import { sshKeyFile } from '../files/ssh-key.ts';
import { bool, text } from '../flags.ts';
import { openEnviron } from '../local-controller.ts';

export const ssh = command({
  name: 'ssh',
  summary: 'Initiates an SSH session or executes a command on a Juju machine.',
  usage: '<[user@]target> [openssh options] [command]',
  details: `The target is a machine or a unit (mysql/0, mysql/leader). Machines of a local controller are entered
directly; others by the system's ssh, as user ubuntu with the client's key. The first host key of a machine is stored,
and no other key is accepted later. Without a command, a login shell is started.`,
  examples: ['ssh 0', 'ssh mysql/0', 'ssh ubuntu@mysql/leader', 'ssh mysql/0 tail -f /var/log/syslog'],
  seeAlso: ['exec'],
  interspersed: false,
  completes: ['unit'],
  flags: {
    ...modelFlags,
    container: text('--container', 'The container name of the target pod'),
    noHostKeyChecks: bool('--no-host-key-checks', 'Skip host key checking (INSECURE)'),
    proxy: bool('--proxy', 'Proxy through the API server'),
    pty: text('--pty', 'Enable pseudo-tty allocation', { default: '<auto>' }),
    remote: bool('--remote', 'Target on the workload or operator pod (k8s-only)'),
  },
  async run(context, flags, args) {
    const [login, ...sshArgs] = args;
    // Arguments after `--` are the command, as for the system's ssh.
    const sshOptions = sshArgs[0] === '--' ? sshArgs.slice(1) : sshArgs;
    if (!login) throw new UsageError('no target name specified');
    const separator = login.indexOf('@');
    const target = login.slice(separator + 1);
    const user = separator > 0 ? login.slice(0, separator) : '';
    const session = await context.openModel(flags.model);
    const status = await call(session.connection, 'Client', 'FullStatus', {
      patterns: [],
      'include-storage': false,
    });
    const machine = findMachine(status, target);
    await session.connection.close();
    const options = { user, options: sshOptions, noHostKeyChecks: flags.noHostKeyChecks };
    const isControllersCloud = status.model['cloud-tag'] === `cloud-${session.details.cloud}`;
    return (
      (isControllersCloud ? await enter(context, session, machine, options) : undefined) ??
      (await connectBySsh(context, session, machine, options))
    );
  },
});

interface Options {
  readonly user: string;
  readonly options: readonly string[];
  readonly noHostKeyChecks: boolean;
}

type FullStatus = ResultOf<'Client', 'FullStatus'>;

function findMachine(status: FullStatus, target: string): MachineStatus {
  const id = isMachineId(target) ? target : findUnit(status, target).machine;
  const machine = machineOf(status.machines, id);
  if (!machine) throw new JujuError('not found', `machine ${id} not found`);
  if (machine['instance-id'] === 'pending' || machine['instance-id'] === '') {
    throw new JujuError('not provisioned', `machine "${id}" is not started yet: see 'grigri status ${id}'`);
  }
  return machine;
}

function machineOf(machines: Readonly<Record<string, MachineStatus>>, id: string): MachineStatus | undefined {
  const machine = machines[id];
  if (machine) return machine;
  return Object.values(machines)
    .map((m) => machineOf(m.containers ?? {}, id))
    .find(Boolean);
}

function findUnit(status: FullStatus, target: string): { machine: string } {
  const [application = '', unitNumber] = target.split('/');
  const units: [string, UnitStatus, string][] = [];
  const add = (entries: Readonly<Record<string, UnitStatus>>, principalMachine: string): void => {
    for (const [name, unit] of Object.entries(entries)) {
      // Subordinate units are on their principals' machines.
      const machine = unit.machine || principalMachine;
      units.push([name, unit, machine]);
      add(unit.subordinates ?? {}, machine);
    }
  };
  for (const app of Object.values(status.applications)) add(app.units ?? {}, '');
  const match = units.find(([name, unit]) =>
    unitNumber === 'leader' ? name.startsWith(`${application}/`) && unit.leader : name === target,
  );
  if (!match) {
    if (!status.applications[application])
      throw notFound(
        target.includes('/') ? 'application' : 'machine or unit',
        target.includes('/') ? application : target,
      );
    throw unitNumber === 'leader'
      ? new JujuError('not found', `application "${application}" has no leader`)
      : notFound('unit', target);
  }
  const [name, unit, machine] = match;
  if (unit.unplaced) {
    const reason = unit['workload-status'].info;
    throw new JujuError(
      'not assigned',
      `unit "${name}" is not on a machine yet${reason ? `: ${reason}` : ''}`,
    );
  }
  if (!machine)
    throw new JujuError(
      'not assigned',
      `unit "${name}" has no machine yet: see 'grigri status ${application}'`,
    );
  return { machine };
}

/**
 * Command of an interactive login. The machine's own /dev lacks the terminal's device, so that script gives the shell
 * another one.
 */
const loginShell =
  'cd; shell=$(command -v bash || command -v sh); if [ -t 0 ] && command -v script >/dev/null; ' +
  'then exec script -qec "$shell -l" /dev/null; else exec "$shell" -l; fi';

/** Enters the machine from the controller's own host. Undefined when the provider cannot do that. */
async function enter(
  context: CommandContext,
  session: ModelSession,
  machine: MachineStatus,
  { user, options }: Options,
): Promise<number | undefined> {
  const modelName = session.model.slice(session.model.indexOf('/') + 1);
  const environ = await openEnviron(context, {
    controller: session.controller,
    modelUuid: session.modelUuid,
    modelName,
  });
  if (!environ?.enter) return undefined;
  const { io } = context;
  const tty = io.stdin.isTTY && io.stdout.isTTY;
  const argv = await environ.enter(machine['instance-id'], { tty });
  const shell = ['sh', '-c', options.length > 0 ? options.join(' ') : loginShell];
  return io.runOnTerminal([
    ...argv,
    ...(user && user !== 'root' ? ['runuser', '-u', user, '--'] : []),
    ...shell,
  ]);
}

/** Connects by ssh. Host keys are kept per instance, because addresses are reused for other machines. */
async function connectBySsh(
  context: CommandContext,
  { modelUuid, details }: ModelSession,
  machine: MachineStatus,
  { user, options, noHostKeyChecks }: Options,
): Promise<number> {
  if (!machine['dns-name'])
    throw new JujuError('no address set', `machine "${machine.id}" has no address yet`);
  const { dir } = await context.store();
  return context.io.runOnTerminal([
    'ssh',
    '-i',
    sshKeyFile(dir),
    ...(noHostKeyChecks
      ? optionsOf('StrictHostKeyChecking no', 'UserKnownHostsFile /dev/null', 'LogLevel ERROR')
      : optionsOf(
          'StrictHostKeyChecking accept-new',
          `UserKnownHostsFile "${knownHostsFile(dir)}"`,
          'GlobalKnownHostsFile /dev/null',
          'CheckHostIP no',
          'LogLevel ERROR',
          `HostKeyAlias ${hostKeyAlias({ controllerUuid: details.uuid, modelUuid, instanceId: machine['instance-id'] })}`,
        )),
    `${user || 'ubuntu'}@${machine['dns-name']}`,
    ...options,
  ]);
}

function optionsOf(...options: readonly string[]): string[] {
  return options.flatMap((option) => ['-o', option]);
}
