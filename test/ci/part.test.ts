/** Parts of suites that CI draws. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesOnMachines } from '../local/files-on-machines.ts';
import { leftOut, longFiles, longInNpmTest } from '../long-files.ts';
import { drawPart, lot, partMax, partOf, sayPart, withPart } from '../part.ts';

const root = join(import.meta.dirname, '../..');
const items = Array.from({ length: 40 }, (_, n) => n);
const draw = (part: number | undefined, count: number): number[] =>
  drawPart(part, items, { count, nameOf: String });

test.each([
  [{}, undefined],
  [{ GRIGRI_PART: '' }, undefined],
  [{ GRIGRI_PART: '0' }, 0],
  [{ GRIGRI_PART: String(partMax) }, partMax],
])('%j names part %s', (env, part) => {
  expect(partOf(env)).toBe(part);
});

test.each(['-1', '1.5', 'x', '1 ', String(partMax + 1)])('GRIGRI_PART=%s is refused', (text) => {
  expect(() => partOf({ GRIGRI_PART: text })).toThrow(/^GRIGRI_PART=.*: not a number from 0 to/);
});

test('an environment gets a part, or loses it', () => {
  expect(withPart({ A: '1' }, 7)).toEqual({ A: '1', GRIGRI_PART: '7' });
  expect(withPart({ A: '1', GRIGRI_PART: '7' }, undefined)).toEqual({ A: '1' });
});

describe('drawn items', () => {
  test('are all items when there is no part', () => {
    expect(draw(undefined, 3)).toEqual(items);
  });

  test('are as many as asked for, in their order, and the same each time', () => {
    for (let part = 0; part < 50; part++) {
      const drawn = draw(part, 8);
      expect(drawn).toHaveLength(8);
      expect(drawn).toEqual(drawn.toSorted((a, b) => a - b));
      expect(draw(part, 8)).toEqual(drawn);
    }
  });

  test('are all items when there are not more than asked for', () => {
    expect(draw(1, 40)).toEqual(items);
    expect(draw(1, 400)).toEqual(items);
  });

  test('include every item in some of 50 parts, and differ between parts', () => {
    const all = items.map((_, part) => draw(part, 8));
    expect(new Set([...all, ...items.map((_, part) => draw(100 + part, 8))].flat()).size).toBe(items.length);
    expect(new Set(all.map(String)).size).toBeGreaterThan(30);
  });

  test('stay drawn when items are added that are not drawn themselves', () => {
    const before = draw(5, 8);
    const more = drawPart(5, [...items, 40, 41, 42], { count: 8, nameOf: String });
    expect(before.filter((item) => !more.includes(item)).length).toBeLessThanOrEqual(3);
  });
});

test('lots are spread evenly from 0 to 1', () => {
  const lots = Array.from({ length: 1000 }, (_, n) => lot(3, `place ${n}`));
  const below = lots.filter((one) => one < 0.25).length;
  expect(below).toBeGreaterThan(200);
  expect(below).toBeLessThan(300);
  expect(lots.every((one) => one >= 0 && one < 1)).toBe(true);
});

test('the line about a part says how the part is run again', () => {
  expect(sayPart(7, [1, 2], [1, 2, 3], 'orders')).toBe('2 of 3 orders; again: GRIGRI_PART=7');
});

test('the long files of npm test exist', () => {
  expect(longInNpmTest.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

describe.each(Object.entries(longFiles))('long files of the suite %s', (suite, long) => {
  const files: readonly string[] = long.longestFirst;
  const always: readonly string[] = long.always;
  const parts = Array.from({ length: 100 }, (_, part) => {
    const out = leftOut(part, long);
    return files.filter((file) => !out.includes(file));
  });

  test('the long files of a suite are test files of it', () => {
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    const own = (file: string): boolean =>
      file.startsWith(`test/${suite}/`) || (suite === 'local' && filesOnMachines.includes(file));
    expect(files.filter((file) => !own(file) || !file.endsWith('.test.ts'))).toEqual([]);
    expect(new Set(files).size).toBe(files.length);
    expect(always.filter((file) => !files.includes(file))).toEqual([]);
  });

  test('all files run without a part', () => {
    expect(leftOut(undefined, long)).toEqual([]);
  });

  test('every part has the same number of long files, and all files that always run', () => {
    for (const part of parts) {
      expect(part).toHaveLength(always.length + long.count);
      expect(part).toEqual(expect.arrayContaining([...always]));
    }
  });

  test('each file runs in some of 100 parts, and only files that always run are in all of them', () => {
    const times = files.map((file) => parts.filter((part) => part.includes(file)).length);
    for (const [n, file] of files.entries())
      if (always.includes(file)) expect(times[n], file).toBe(100);
      else expect(times[n], file).toBeGreaterThan(10);
    expect(times.filter((count) => count === 100)).toHaveLength(always.length);
  });
});
