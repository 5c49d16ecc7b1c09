/** Tasks that run a command: its parameters and its outcome. */
import { JujuError } from '../../core/errors.ts';
import type { HookResult } from '../../hooks/run-hook.ts';
import type { TaskRecord } from '../../wire/agent-records.ts';
import type { MachineLock } from '../machine-lock.ts';
import type { TaskOutcome, TaskSignals } from './tasks.ts';
import { anyOf } from '../../kit/on-abort.ts';

export const execName = 'juju-exec';

/** Runs `fn` in the task's turn on the machine (unit-agent.md#task-turns). */
export async function inTurn<T>(
  lock: MachineLock,
  { parallel = false, executionGroup = '' }: TaskRecord,
  { signal, cancel }: TaskSignals,
  fn: (release: () => void) => Promise<T>,
): Promise<T> {
  if (parallel && executionGroup === '') return fn(() => undefined);
  const either = anyOf(signal, cancel);
  try {
    return await lock.hold(either.signal, fn, executionGroup);
  } finally {
    either.done();
  }
}

export function commandOf(task: TaskRecord): string {
  const { command } = task.parameters;
  if (typeof command !== 'string') throw new JujuError('not valid', 'juju-exec needs a command');
  return command;
}

/** Returns the timeout in milliseconds; `timeout` travels as Go's duration in nanoseconds, 0 = none. */
export function timeoutOf(task: TaskRecord): number | undefined {
  const { timeout } = task.parameters;
  return typeof timeout === 'number' && timeout > 0 ? Math.ceil(timeout / 1e6) : undefined;
}

/** Converts the outcome of a script: its exit code is a result and not an error. */
export function execOutcome(result: HookResult): TaskOutcome {
  const output = { ...result.output, 'return-code': result.code ?? -1 };
  if (result.kind !== 'failed' || result.code !== undefined)
    return { status: 'completed', message: '', output };
  return { status: 'failed', message: result.message ?? '', output: { ...result.output } };
}
