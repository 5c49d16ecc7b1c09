/** Walks (docs/walks/README.md) stay short, and follow the code as it is. */
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readStops } from './testing/walks.ts';

const root = resolve(import.meta.dirname, '..');
const readFile = (path: string): string => readFileSync(join(root, path), 'utf8');

const walks = globSync('docs/walks/*.md', { cwd: root }).filter((path) => !path.endsWith('README.md'));

describe.each(walks)('%s', (path) => {
  const stops = readStops(path, readFile(path), readFile);
  const total = stops.reduce((sum, { counted }) => sum + counted, 0);

  test('has at most 12 stops and 2,500 lines to read', () => {
    expect(stops.length).toBeGreaterThan(0);
    expect(stops.length).toBeLessThanOrEqual(12);
    expect(total).toBeLessThanOrEqual(2500);
  });

  test('states numbers of lines that are right to a tenth, or to five lines', () => {
    const [, statedStops, statedTotal] = /^Total: (\d+) stops, ([\d,]+) lines\.$/m.exec(readFile(path)) ?? [];
    const counts = [...stops, { stated: Number(statedTotal?.replace(',', '')), counted: total }];
    const wrong = counts.filter(
      ({ stated, counted }) => !(Math.abs(stated - counted) <= Math.max(5, counted / 10)),
    );
    expect(wrong).toEqual([]);
    expect(Number(statedStops)).toBe(stops.length);
  });
});
