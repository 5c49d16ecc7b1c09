/** Reasons of failed suites: excerpts of their logs, short enough for the end of a long output. */
import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { Result } from './run-suite.ts';

const linesOfOne = 40;
const columns = 160;

/**
 * Returns, for each suite that did not pass: a heading, its leftovers, and up to 40 lines of its log, namely the last
 * ones and before them lines that name a failure. The result has at most `most` lines.
 */
export function reasons(results: readonly Result[], most: number): string[] {
  const failed = results.filter(({ result }) => result !== 'passed');
  const each = Math.min(linesOfOne, Math.floor(most / Math.max(1, failed.length)) - 1);
  return failed.flatMap(({ suite, result, leftovers, log }) => {
    const left = leftovers.map((one) => `left behind: ${one}`).slice(0, Math.max(0, each));
    const excerpt = log === '' ? [] : telling(readFileSync(log, 'utf8'), each - left.length);
    return [`${suite}: ${result}`, ...[...left, ...excerpt].map((line) => `  ${cut(line)}`)].slice(0, most);
  });
}

/** Returns why tests of a suite were skipped: the lines `skipped: …` of its log, each once. */
export function skips({ log }: Pick<Result, 'log'>): string[] {
  if (log === '') return [];
  const lines = stripVTControlCharacters(readFileSync(log, 'utf8')).split(/[\r\n]+/);
  return [...new Set(lines.filter((line) => line.startsWith('skipped: ')))];
}

/** Returns the lines of the output without those of tests that passed. */
function telling(output: string, most: number): string[] {
  const lines = output
    .split(/[\r\n]+/)
    .map((line) => stripVTControlCharacters(line).trimEnd())
    .filter((line) => line !== '' && !/^\s*(✓|↓)/.test(line));
  if (lines.length <= most) return lines;
  const last = Math.ceil(most / 2);
  const naming = lines.slice(0, -last).filter((line) => namesFailure.test(line));
  // Lines that name failures take the room that is left; without any, more of the end is shown.
  const named = naming.slice(0, Math.max(0, most - last));
  return [...named, ...lines.slice(lines.length - Math.max(0, most - named.length))];
}

const namesFailure =
  /^\s*(FAIL|×|❯ .*failed|ERROR)|\b(Assertion|Type|Range|Reference|)Error:|\bseed\b.*\bfailed\b/;

/** Cuts a line to the width of a screen. */
function cut(line: string): string {
  const characters = Array.from(line);
  return characters.length > columns ? `${characters.slice(0, columns - 1).join('')}…` : line;
}
