import { colourFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool, signedDuration } from '../flags.ts';

/** Flags of the commands that enqueue tasks. */
export const taskFlags = {
  background: bool('--background', 'Run the task in the background'),
  ...colourFlags,
  utc: bool('--utc', 'Show times in UTC'),
  wait: signedDuration('--wait', 'Maximum wait time for a task to complete', '0s'),
};

/** Flags of commands that show tasks or operations that may not have ended. */
export const watchFlags = {
  utc: bool('--utc', 'Show times in UTC'),
  wait: signedDuration('--wait', 'Maximum wait time for a task to complete', '-1s'),
  watch: bool('--watch', 'Wait indefinitely for results'),
};

/** Returns the wait that --wait means: 0 and none mean the default, a negative value has no limit. */
export function waitOf(wait: number | undefined, defaultMs: number): number | undefined {
  if (wait === undefined || wait === 0) return defaultMs;
  return wait < 0 ? undefined : wait;
}

/** Returns the wait that --wait or --watch asks for; undefined: none. Errors: UsageError. */
export function watchOf(
  { wait, watch }: { readonly wait: number | undefined; readonly watch: boolean },
  given: ReadonlySet<string>,
): { readonly waitMs: number | undefined } | undefined {
  if (watch && given.has('wait')) throw new UsageError('specify either --watch or --wait but not both');
  if (watch || wait === 0) return { waitMs: undefined };
  return wait === undefined || wait < 0 ? undefined : { waitMs: wait };
}

/** Parses the number that is the only argument. Errors: UsageError. */
export function numberIn([id, ...more]: readonly string[], what: 'operation' | 'task'): string {
  if (id === undefined) throw new UsageError(`no ${what} ID specified`);
  noMoreArgs(more);
  if (!isNumber(id)) throw new UsageError(`${what} ID ${JSON.stringify(id)} not valid`);
  return id;
}

export function isNumber(text: string): boolean {
  return /^\d{1,15}$/.test(text);
}
