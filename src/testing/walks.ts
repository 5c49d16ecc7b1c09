/** Counts the lines of code that the stops of a walk link to (docs/walks/README.md). */
import { dirname, join } from 'node:path';

interface Stop {
  /** Number of lines in the walk's table. */
  readonly stated: number;
  /** Number of lines in the code. */
  readonly counted: number;
}

/** Reads the stops of a walk. Throws an Error for a link to a file or a declaration that does not exist. */
export function readStops(path: string, text: string, readFile: (path: string) => string): readonly Stop[] {
  return [...text.matchAll(/^\| \d+ \| (.+?) \| ([\d,]+) \|/gm)].map(([, cell, stated]) => ({
    stated: Number(stated!.replace(',', '')),
    counted: sum(
      [...cell!.matchAll(/\]\(([^)]+)\)([^[]*)/g)].map(([, target, names]) =>
        countLines(
          readFile(join(dirname(path), target!)),
          [...names!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
        ),
      ),
    ),
  }));
}

/** Counts the whole file, or the named declarations only. */
function countLines(code: string, names: readonly string[]): number {
  const lines = code.trimEnd().split('\n');
  return names.length === 0 ? lines.length : sum(names.map((name) => declarationLines(lines, name)));
}

function declarationLines(lines: readonly string[], name: string): number {
  const topLevel = `(?:export )?(?:async )?(?:function|class|interface|type|const) ${name}\\b`;
  const member = `  (?:async |get |static )*${name}(?:<.*>)?\\(`;
  const first = lines.findIndex((line) => new RegExp(`^(?:${topLevel}|${member})`).test(line));
  if (first < 0) throw new Error(`walk: no declaration "${name}"`);
  const indent = /^ */.exec(lines[first]!)![0];
  const end = new RegExp(`^${indent}(?:[})\\]]+;?|\\S.*;)$`);
  return lines.slice(first).findIndex((line) => end.test(line)) + 1;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
