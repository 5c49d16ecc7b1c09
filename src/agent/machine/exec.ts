import { JujuError } from '../../core/errors.ts';
import type { ExecRequest, ExecResult } from '../../hooks/exec-socket.ts';
import { parseTagOf } from '../../wire/tags.ts';
import { execName } from '../unit/exec-task.ts';
import type { Deployer } from './deployer.ts';
import type { RunCommand } from './run-command.ts';
import { machineEnvironment } from './system-settings.ts';
import type { MachineWorld } from './world.ts';
import { defined } from '../../core/defined.ts';

/**
 * Runs commands that were given to `juju-exec` on the machine. Errors: `not found` for a missing unit or relation.
 */
export async function runLocally(
  world: Pick<MachineWorld, 'lock' | 'newId' | 'mirror'>,
  { deployer, runCommand }: { deployer: Pick<Deployer, 'agent' | 'units'>; runCommand: RunCommand },
  { request, signal }: { request: ExecRequest; signal: AbortSignal },
): Promise<ExecResult> {
  if (request.unit === undefined) {
    const result = await world.lock.hold(signal, () =>
      runCommand(request.command, { signal, environment: machineEnvironment(world.mirror) }),
    );
    return { ...result, output: result.output ?? {} };
  }
  const receiver = unitOf(request.unit, deployer.units);
  const { command, relation, remoteUnit, remoteApplication, forceRemoteUnit } = request;
  const outcome = await deployer.agent(receiver).run(
    {
      id: `local-${world.newId()}`,
      receiver,
      name: execName,
      parameters: {
        command,
        ...defined({
          relation,
          'remote-unit': remoteUnit,
          'remote-application': remoteApplication,
          'force-remote-unit': forceRemoteUnit,
        }),
      },
      status: 'running',
    },
    signal,
  );
  const { 'return-code': code, ...output } = outcome.output;
  return outcome.status === 'completed' && typeof code === 'number'
    ? { code, output }
    : { message: outcome.message, output };
}

/** Finds the unit by name or tag; '' = the machine's only unit. */
function unitOf(name: string, units: readonly string[]): string {
  if (name !== '') return name.includes('/') ? name : parseTagOf('unit', name);
  const [only, ...others] = units;
  if (only === undefined || others.length > 0) {
    throw new JujuError(
      'not valid',
      `unit name required: there are ${units.length} units on this machine: ${[...units].sort().join(', ')}`,
    );
  }
  return only;
}
