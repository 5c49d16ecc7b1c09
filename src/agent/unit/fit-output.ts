import { jsonBytes } from '../../core/json-bytes.ts';
import { limits } from '../../core/limits.ts';
import type { Log } from '../../kit/log.ts';
import type { TaskOutcome } from './tasks.ts';

type Stream = 'stdout' | 'stderr';

/**
 * Cuts the ends of stdout and stderr, the longer stream first, until the output is as long as the controller accepts.
 * Output that is too long without these streams stays too long. `cut`: the streams that were cut.
 */
export function fitOutput(
  output: TaskOutcome['output'],
  max: number = limits.taskOutput.max,
): { readonly output: TaskOutcome['output']; readonly cut: readonly Stream[] } {
  let over = jsonBytes(output) - max;
  if (over <= 0) return { output, cut: [] };
  const streams = (['stdout', 'stderr'] as const)
    .map((name) => ({ name, text: textOf(output[name]) }))
    .map((stream) => ({ ...stream, bytes: jsonBytes(stream.text) }))
    .sort((a, b) => b.bytes - a.bytes);
  const fitted: Record<string, unknown> = { ...output };
  const cut: Stream[] = [];
  for (const { name, text, bytes } of streams) {
    if (over <= 0 || text === '') break;
    const isEncoded = output[`${name}-encoding`] === 'base64';
    const kept = beginning(text, Math.max(bytes - over, jsonBytes('')), isEncoded ? 4 : 1);
    fitted[name] = kept;
    over -= bytes - jsonBytes(kept);
    cut.push(name);
  }
  return { output: fitted, cut };
}

/** Fits a task's output; cuts are reported in the log. `captured`: streams that were cut when they were read. */
export function fitOutcome(
  outcome: TaskOutcome,
  captured: readonly Stream[] | undefined,
  log: Pick<Log, 'warning'>,
): { readonly outcome: TaskOutcome; readonly cut: readonly Stream[] } {
  const fitted = fitOutput(outcome.output);
  const cut = [...new Set([...(captured ?? []), ...fitted.cut])];
  if (cut.length > 0) log.warning('the output of the task is cut: it is too long', { cut: cut.join(', ') });
  return { outcome: { ...outcome, output: fitted.output }, cut };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the longest beginning that has at most `max` bytes as JSON; its length is a multiple of `step`. */
function beginning(text: string, max: number, step: number): string {
  let fits = 0;
  let tooLong = Math.floor(text.length / step) + 1;
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (jsonBytes(text.slice(0, middle * step)) <= max) fits = middle;
    else tooLong = middle;
  }
  const kept = text.slice(0, fits * step);
  // Surrogate pairs are not cut in two.
  return /[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept;
}
