import { expect, test } from 'vitest';
import fc, { runs } from '../../testing/fast-check.ts';
import { beyondRetention, type KeptArchive } from './retention.ts';

const day = 24 * 3_600_000;
/** Archive of 10 bytes that was made on that day. */
const of = (n: number): KeptArchive => ({ name: `b${n}`, time: n * day, bytes: 10 });
const archives = [3, 1, 5, 2, 4].map(of);

test.each([
  ['the oldest beyond the number go', { keep: 3 }, ['b2', 'b1']],
  ['none goes while there are fewer', { keep: 9 }, []],
  ['the newest stays when only one is kept', { keep: 1 }, ['b4', 'b3', 'b2', 'b1']],
  ['those that are too old go', { keep: 9, keepAge: 2 * day }, ['b2', 'b1']],
  ['the oldest beyond the size go', { keep: 9, keepSize: 39 }, ['b2', 'b1']],
  ['the newest stays whatever the size is', { keep: 9, keepSize: 1 }, ['b4', 'b3', 'b2', 'b1']],
  ['the strictest limit counts', { keep: 4, keepSize: 35, keepAge: 9 * day }, ['b2', 'b1']],
])('%s', (_, schedule, gone) => {
  expect(beyondRetention(archives, { every: day, ...schedule }, of(5))).toEqual(gone);
});

test('an archive that is dated after the newest comes from before the clock was set back, and is the oldest', () => {
  const dated = [...archives, of(400)];
  expect(beyondRetention(dated, { every: day, keep: 5 }, of(5))).toEqual(['b400']);
  expect(beyondRetention(dated, { every: day, keep: 6, keepAge: 9 * day }, of(5))).toEqual([]);
});

test('a clock that jumps ahead makes no archive too old at once', () => {
  const late = of(400);
  const schedule = { every: day, keep: 9, keepAge: 2 * day };
  expect(beyondRetention([...archives, late], schedule, late)).toEqual(['b3', 'b2', 'b1']);
});

test('the newest archive is never removed, and no more are kept than the schedule says', () => {
  const any = fc.uniqueArray(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 20 });
  const limits = fc.record({
    every: fc.constant(day),
    keep: fc.integer({ min: 1, max: 10 }),
    keepSize: fc.constantFrom(Infinity, 0, 35),
    keepAge: fc.constantFrom(Infinity, 0, 9 * day),
  });
  fc.assert(
    fc.property(any, limits, fc.nat(), (days, schedule, pick) => {
      const all = days.map(of);
      const made = all[pick % all.length]!;
      const gone = beyondRetention(all, schedule, made);
      expect(gone).not.toContain(made.name);
      expect(all.length - gone.length).toBeLessThanOrEqual(schedule.keep);
    }),
    { numRuns: runs(200) },
  );
});
