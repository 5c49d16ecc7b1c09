import { expect, test } from 'vitest';
import type { Call } from '../../facade.ts';
import { bulk } from './bulk.ts';

test('a long list is processed in slices, with turns for others in between', async () => {
  let now = 0;
  let turns = 0;
  const services = {
    clock: { now: () => now },
    nextTurn: (fn: () => void) => {
      turns++;
      setImmediate(fn);
    },
  };
  const items = Array.from({ length: 100 }, (_, n) => n);
  const results = await bulk({ services } as unknown as Call, items, (n) => {
    now += 5;
    return n;
  });
  expect(results).toEqual(items);
  // The work takes 500 ms, 20 of them at a time.
  expect(turns).toBe(24);
});
