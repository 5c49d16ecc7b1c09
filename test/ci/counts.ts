/** Numbers of tests that a suite reports. */
import { stripVTControlCharacters } from 'node:util';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * Sums the counts in the output: `3 passed, 0 failed` alone on a line, or vitest's summaries. A suite without any
 * counts as one test; a failed suite has at least one failed test.
 */
export function countsOf(output: string, succeeded: boolean): Counts {
  const lines = output.split('\n').map((line) => stripVTControlCharacters(line).trim());
  const found = lines.flatMap((line) => {
    const [, passed, failed, skipped] = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/.exec(line) ?? [];
    if (passed !== undefined)
      return [{ passed: Number(passed), failed: Number(failed), skipped: Number(skipped ?? 0) }];
    const [, tests] = /^Tests\s+(.*) \(\d+\)$/.exec(line) ?? [];
    if (tests === undefined) return [];
    const number = (word: string): number => Number(new RegExp(`(\\d+) ${word}`).exec(tests)?.[1] ?? 0);
    return [
      { passed: number('passed'), failed: number('failed'), skipped: number('skipped') + number('todo') },
    ];
  });
  const total = found.reduce(
    (sum, one) => ({
      passed: sum.passed + one.passed,
      failed: sum.failed + one.failed,
      skipped: sum.skipped + one.skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );
  if (!succeeded) return { ...total, failed: Math.max(1, total.failed) };
  return total.passed + total.failed === 0 ? { ...total, passed: 1 } : total;
}

export function sayCounts({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
