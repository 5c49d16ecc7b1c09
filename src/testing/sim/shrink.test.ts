import fc from '../fast-check.ts';
import { expect, test } from 'vitest';
import { shrink } from './shrink.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

test('shrinking keeps exactly the needed items, in their order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(60).chain((count) => fc.tuple(fc.constant(count), fc.subarray(numbers(count)))),
      async ([count, needed]) => {
        const fails = (items: readonly number[]): boolean => needed.every((one) => items.includes(one));
        expect(await shrink(numbers(count), { fails, triesMax: 100_000 })).toEqual(needed);
      },
    ),
  );
});

test('no remaining item can be left out alone, also where one item can replace another', async () => {
  const fails = (items: readonly number[]): boolean =>
    items.filter((one) => one % 7 === 3).length >= 2 && items.some((one) => one > 40);
  const kept = await shrink(numbers(50), { fails });
  expect(fails(kept)).toBe(true);
  for (const left of kept) expect(fails(kept.filter((one) => one !== left))).toBe(false);
});

test('shrinking ends after the maximum number of tries', async () => {
  let tries = 0;
  const fails = (items: readonly number[]): boolean => {
    tries++;
    return items.length >= 90;
  };
  await shrink(numbers(100), { fails, triesMax: 7 });
  expect(tries).toBe(7);
});

test('a failure without any items shrinks to nothing', async () => {
  expect(await shrink(numbers(20), { fails: () => true })).toEqual([]);
});
