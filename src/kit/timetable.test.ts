import { expect, test } from 'vitest';
import { Timetable } from './timetable.ts';

test('keys that are due are taken once, the earliest first', () => {
  const table = new Timetable();
  table.set('b', 5_000, 0);
  table.set('a', 3_000, 0);
  expect(table.untilNext(0)).toBe(3_000);
  expect(table.take(2_999)).toEqual([]);
  expect(table.take(5_000)).toEqual(['a', 'b']);
  expect(table.take(5_000)).toEqual([]);
  expect(table.untilNext(5_000)).toBeUndefined();
});

test('a key that is set again is due at the new time only', () => {
  const table = new Timetable();
  table.set('a', 3_000, 0);
  table.set('a', 10_000, 0);
  expect(table.take(9_000)).toEqual([]);
  expect(table.take(10_000)).toEqual(['a']);
});

test('a key with delay 0 is due without any time passing', () => {
  const table = new Timetable();
  table.set('a', 0, 1_234);
  expect(table.untilNext(1_234)).toBe(0);
  expect(table.take(1_234)).toEqual(['a']);
});

test('keys that are due at about the same time are taken together', () => {
  const table = new Timetable();
  const quarter = 15 * 60_000;
  // Ten thousand keys, set over a quarter of an hour.
  for (let n = 0; n < 10_000; n++) table.set(String(n), quarter, n * 90);
  const sizes: number[] = [];
  for (let now = quarter; table.size > 0; now += table.untilNext(now) ?? 0) {
    const due = table.take(now);
    if (due.length > 0) sizes.push(due.length);
  }
  expect(sizes.length).toBeLessThanOrEqual(31);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(10_000);
});

test('a clock that is set back delays nothing', () => {
  const table = new Timetable();
  table.set('a', 3_000, 3_600_000);
  expect(table.take(0)).toEqual([]);
  expect(table.untilNext(0)).toBe(3_000);
  expect(table.take(3_000)).toEqual(['a']);
});
