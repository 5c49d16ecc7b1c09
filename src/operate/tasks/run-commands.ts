import { call } from '../../client/calls.ts';
import type { Connection } from '../../client/connection.ts';
import { parseTag } from '../../wire/tags.ts';
import { taskOf, type Task, type TaskResult } from './results.ts';
import { defined } from '../../core/defined.ts';

export interface Commands {
  /** Commands for the shell. */
  readonly commands: string;
  readonly timeoutMs: number;
  readonly targets: Targets | 'all machines';
  readonly parallel: boolean;
  readonly executionGroup: string;
}

export interface Targets {
  readonly machines: readonly string[];
  readonly applications: readonly string[];
  /** Unit names, or `mysql/leader`. */
  readonly units: readonly string[];
}

export interface Operation {
  readonly id: string;
  readonly tasks: readonly Task[];
  /** Reasons why other tasks of the operation were not enqueued. */
  readonly refused: readonly string[];
}

/** Enqueues a task for each target. Errors: the controller's. */
export async function runCommands(
  connection: Connection,
  { commands, timeoutMs, targets, parallel, executionGroup }: Commands,
): Promise<Operation> {
  const { machines, applications, units } = targets === 'all machines' ? noTargets : targets;
  const method = targets === 'all machines' ? 'RunOnAllMachines' : 'Run';
  const { operation, actions } = await call(connection, 'Action', method, {
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
  return {
    id: parseTag(operation).id,
    tasks: actions.flatMap(({ action, error }) => (error || !action ? [] : [taskOf(action)])),
    refused: actions.flatMap(({ error }) => error?.message ?? []),
  };
}

const noTargets: Targets = { machines: [], applications: [], units: [] };

export function returnCode(task: TaskResult): number {
  return Number(task.output?.['return-code'] ?? 0);
}

export function hasFailed(task: TaskResult): boolean {
  return task.error !== undefined || task.status !== 'completed' || returnCode(task) !== 0;
}
