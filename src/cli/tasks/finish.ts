/** Work after tasks were enqueued: they are named, waited for and shown. */
import type { Connection } from '../../client/connection.ts';
import { hasFailed, type Operation } from '../../operate/tasks/operation.ts';
import { resultsOf, type TaskEvent, type TaskResult } from '../../operate/tasks/results.ts';
import type { CommandContext } from '../context.ts';
import { countOf } from '../count-of.ts';
import { Exit } from '../errors.ts';
import { formatTimeOfDay } from '../format/time.ts';
import { idOf } from './describe.ts';

interface Finishing {
  readonly background: boolean;
  readonly utc: boolean;
  readonly waitMs: number | undefined;
  /** Whether the messages of a single task are shown. */
  readonly log: boolean;
  /** Writes the lines about progress. */
  readonly tell: (line: string) => void;
  readonly show: (results: readonly TaskResult[]) => Promise<void>;
}

/**
 * Waits for the tasks of an operation and shows their results. Errors: Exit, when one has failed or could not be
 * enqueued (operations.md#exit-codes-of-tasks).
 */
export async function finish(
  context: CommandContext,
  connection: Connection,
  operation: Operation,
  finishing: Finishing,
): Promise<void> {
  const { id, tasks } = operation;
  const refused = operation.refused.join('\n');
  if (tasks.length === 0) return context.info(`Operation ${id} failed to schedule any tasks:\n${refused}`);
  if (refused) context.io.stderr.write(`ERROR ${refused}\n`);
  if (finishing.background) return scheduled(context, operation);
  const { tell, utc, waitMs } = finishing;
  tell(`Running operation ${id} with ${countOf(tasks.length, 'task')}`);
  for (const task of tasks) tell(`  - task ${task.id} on ${task.receiverTag}`);
  tell('');
  for (const task of tasks) tell(`Waiting for task ${task.id}...`);
  const results = await resultsOf(taskOperator(context, utc), connection, tasks, {
    waitMs,
    log: finishing.log && tasks.length === 1,
  });
  if (tasks.length === 1 && results[0]?.log?.length) tell('');
  await finishing.show(results);
  const failed = results.filter(hasFailed);
  if (failed.length > 0) context.io.stderr.write(`ERROR ${failures(context, failed)}\n`);
  if (failed.length > 0 || refused) throw new Exit(1);
}

/** Returns an operator that writes the messages of tasks as they arrive, and reports what takes long. */
export function taskOperator(
  context: CommandContext,
  utc: boolean,
): ReturnType<typeof context.operator<TaskEvent>> {
  let logged = false;
  return context.operator<TaskEvent>((event) => {
    if (event.kind === 'task log') {
      logged = true;
      context.info(`${formatTimeOfDay(event.timestamp, utc)} ${event.message}`);
    } else if (!logged && event.of > 1) {
      context.info(`Waiting for ${event.open} of ${countOf(event.of, 'task')}...`);
    }
  });
}

function scheduled(context: CommandContext, { id, tasks }: Operation): void {
  const single = tasks.length === 1 ? tasks[0]! : undefined;
  context.info(
    `Scheduled operation ${id} with ${single ? `task ${single.id}` : countOf(tasks.length, 'task')}`,
  );
  if (!single) for (const task of tasks) context.info(`  - task ${task.id} on ${task.receiverTag}`);
  context.info(`Check operation status with '${context.lineFor(`show-operation ${id}`)}'`);
  context.info(`Check task status with '${context.lineFor(`show-task ${single ? single.id : '<id>'}`)}'`);
}

function failures(context: CommandContext, failed: readonly TaskResult[]): string {
  const plural = failed.length === 1 ? '' : 's';
  const lines = failed.map((task) => {
    const code = task.output?.['return-code'];
    if (code !== undefined) return ` - id "${idOf(task)}" with return code ${Number(code)}`;
    return ` - id "${idOf(task)}" without a return code: ${task.error?.message ?? (task.message || task.status || '')}`;
  });
  return `the following task${plural} failed:\n${lines.join('\n')}\n\nuse '${context.lineFor('show-task')}' to inspect the failure${plural}`;
}
