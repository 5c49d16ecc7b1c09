import { call } from '../../client/calls.ts';
import type { Connection } from '../../client/connection.ts';
import { operationOf, type Operation } from './operation.ts';
import { defined } from '../../core/defined.ts';

export interface Commands {
  /** Commands for the shell. */
  readonly commands: string;
  /** Time after which a command is killed; 0 = none. */
  readonly timeoutMs: number;
  readonly targets: Targets | 'all machines';
  readonly parallel: boolean;
  readonly executionGroup: string;
}

interface Targets {
  readonly machines: readonly string[];
  readonly applications: readonly string[];
  /** Unit names, or `mysql/leader`. */
  readonly units: readonly string[];
}

/** Enqueues a task for each target. Errors: the controller's. */
export async function runCommands(
  connection: Connection,
  { commands, timeoutMs, targets, parallel, executionGroup }: Commands,
): Promise<Operation> {
  const { machines, applications, units } = targets === 'all machines' ? noTargets : targets;
  const method = targets === 'all machines' ? 'RunOnAllMachines' : 'Run';
  const enqueued = await call(connection, 'Action', method, {
    commands,
    timeout: timeoutMs * 1e6,
    ...defined({
      machines: machines.length > 0 ? [...machines] : undefined,
      applications: applications.length > 0 ? [...applications] : undefined,
      units: units.length > 0 ? [...units] : undefined,
    }),
    parallel,
    'execution-group': executionGroup,
  });
  return operationOf(enqueued);
}

const noTargets: Targets = { machines: [], applications: [], units: [] };
