/** Results of the suites, as text. */
import { sayCounts } from './counts.ts';
import { formatSection } from '../../src/cli/format/tabwriter.ts';
import { reasons, skips } from './reasons.ts';
import type { Result } from './run-suite.ts';

/** Number of lines at the end of a long output that users look at first. */
const endLines = 100;

/** Describes a failed suite: its result, its leftovers, and the reasons in its log. */
export function sayResult(result: Result): string {
  const line = `${result.result === 'passed' ? 'passed' : 'FAILED'}  ${result.suite}: ${result.result} in ${time(result.seconds)}, ${sayCounts(result.counts)}`;
  const why = skips(result).map((skip) => `  ${skip}`);
  return [line, ...why, ...reasons([result], endLines).slice(1)].join('\n');
}

function table(results: readonly Result[]): string {
  const rows = [
    ['suite', 'result', 'time', 'processor', 'passed', 'failed', 'skipped', 'left behind'],
    ...results.map(({ suite, result, seconds, processorSeconds, counts, leftovers }) => [
      suite,
      result,
      time(seconds),
      time(processorSeconds),
      ...[counts.passed, counts.failed, counts.skipped, leftovers.length].map(String),
    ]),
  ];
  return formatSection({ rows });
}

/** Returns the end of the output, `N passed, N failed` last. Failures are described in its last 100 lines. */
export function summary(results: readonly Result[]): string {
  const lines = table(results).split('\n');
  lines.push(...results.flatMap((one) => skips(one).map((skip) => `${one.suite}: ${skip}`)));
  const failed = results.filter(({ result }) => result !== 'passed');
  if (failed.length > 0) {
    const logs = `logs: ${failed.flatMap(({ log }) => log || []).join(' ')}`;
    lines.push(...reasons(failed, endLines - 3), '', logs);
  }
  return [...lines, total(results)].join('\n');
}

/** Returns the sum of the tests of all suites. */
export function total(results: readonly Result[]): string {
  const sum = (of: (one: Result) => number): number => results.reduce((all, one) => all + of(one), 0);
  return sayCounts({
    passed: sum(({ counts }) => counts.passed),
    failed: sum(({ counts }) => counts.failed),
    skipped: sum(({ counts }) => counts.skipped),
  });
}

/** Formats seconds as `2:05`; `-` when they were not measured. */
function time(seconds: number): string {
  if (seconds === 0) return '-';
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
