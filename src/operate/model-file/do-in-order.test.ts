import fc, { runs } from '../../testing/fast-check.ts';
import { expect, test } from 'vitest';
import { doInOrder } from './do-in-order.ts';

test('property: each piece is done once, after those that it waits for, and not too many at a time', async () => {
  const works = fc.record({
    parallel: fc.integer({ min: 1, max: 5 }),
    before: fc
      .array(fc.array(fc.nat({ max: 30 }), { maxLength: 3 }), { maxLength: 30 })
      .map((lists) => lists.map((list, place) => [...new Set(list.filter((one) => one < place))])),
    failing: fc.option(fc.nat({ max: 30 }), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(works, async ({ parallel, before, failing }) => {
      const [begun, done] = [new Set<number>(), new Set<number>()];
      let failed = false;
      const failures = await doInOrder({
        before,
        parallel,
        async run(place) {
          expect(failed).toBe(false);
          expect(begun.has(place)).toBe(false);
          begun.add(place);
          expect(begun.size - done.size).toBeLessThanOrEqual(parallel);
          for (const one of before[place]!) expect(done.has(one)).toBe(true);
          if (parallel === 1) expect(begun.size).toBe(place + 1);
          for (let turns = place % 3; turns > 0; turns--) await Promise.resolve();
          if (place === failing) {
            // Other pieces may begin until the failure is known.
            queueMicrotask(() => (failed = true));
            throw new Error('fails');
          }
          done.add(place);
        },
      });
      if (failing !== undefined && failing < before.length && begun.has(failing)) {
        expect(failures).toMatchObject([{ place: failing, error: { message: 'fails' } }]);
        expect(done.size).toBe(begun.size - 1);
      } else expect(done.size).toBe(before.length);
    }),
    { numRuns: runs(300) },
  );
});
