import { expect, test } from 'vitest';
import { JujuError } from '../../../core/errors.ts';
import { limits } from '../../../core/limits.ts';
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

test('items for which the answer has no room are not run, and say so at their places', async () => {
  const services = { clock: { now: () => 0 }, nextTurn: setImmediate };
  const run = async (count: number): Promise<{ ran: number; results: unknown[] }> => {
    let ran = 0;
    const text = 'x'.repeat(limits.answer.max / 4);
    const results = await bulk({ services } as unknown as Call, Array(count).fill(0), () => {
      ran++;
      return { text };
    });
    return { ran, results };
  };
  const { ran, results } = await run(1000);
  expect([ran, results.length]).toEqual([4, 1000]);
  expect(results[3]).toHaveProperty('text');
  expect(results[4]).toMatchObject({ error: { code: 'quota limit exceeded' } });
});

test('an answer has room for errors, too: a text that all items share is not quoted for each of them', async () => {
  const services = { clock: { now: () => 0 }, nextTurn: setImmediate };
  const label = 'x'.repeat(limits.errorText.max);
  const most = limits.answer.max / label.length;
  const results = await bulk({ services } as unknown as Call, Array(2 * most).fill(0), () => {
    throw new JujuError('not found', `secret "${label}" not found`);
  });
  const codes = results.map((result) => (result as { error: { code: string } }).error.code);
  const quoting = codes.filter((code) => code === 'not found').length;
  expect(quoting).toBeGreaterThan(most * 0.9);
  expect(quoting).toBeLessThanOrEqual(most);
  expect(codes.slice(quoting)).toEqual(Array(2 * most - quoting).fill('quota limit exceeded'));
});
