/** What came of the suites, as text. */
import { readFileSync } from 'node:fs';
import { sayCounts } from './counts.ts';
import type { Result } from './run-suite.ts';

const tailLines = 100;

/** Of a failed one: how, what it left, and the end of its log. */
export function sayResult(result: Result): string {
  const line = `${result.result === 'passed' ? 'passed' : 'FAILED'}  ${result.suite}: ${result.result} in ${time(result.seconds)}, ${sayCounts(result.counts)}`;
  if (result.result === 'passed') return line;
  const tail = readFileSync(result.log, 'utf8').trimEnd().split('\n').slice(-tailLines);
  return [
    line,
    ...result.leftovers.map((one) => `  left behind: ${one}`),
    ...tail.map((text) => `  ${result.suite} | ${text}`),
  ].join('\n');
}

export function table(results: readonly Result[]): string {
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
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Tests of all suites together. */
export function total(results: readonly Result[]): string {
  const sum = (of: (one: Result) => number): number => results.reduce((all, one) => all + of(one), 0);
  return sayCounts({
    passed: sum(({ counts }) => counts.passed),
    failed: sum(({ counts }) => counts.failed),
    skipped: sum(({ counts }) => counts.skipped),
  });
}

/** `2:05` minutes and seconds; `-` where nobody measured. */
function time(seconds: number): string {
  if (seconds === 0) return '-';
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
