/** Limits of requests about operations with many tasks and long outputs. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import type { TaskDoc } from '../../../core/task/document.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';

interface Listed {
  readonly results: readonly { readonly operation: string; readonly error?: { readonly code: string } }[];
  readonly truncated?: boolean;
}

let callers: Callers;
beforeEach(async () => void (callers = await createCallers()));
afterEach(() => callers[Symbol.asyncDispose]());

/** Operations 1 to `count` with the same tasks. The tasks exist, with this output, or were pruned. */
const fill = (count: number, tasks: number, output?: string): Promise<void> =>
  callers.change((tx) => {
    const ids = Array.from({ length: tasks }, (_, n) => String(1000 + n));
    for (const [n, id] of output === undefined ? [] : ids.entries()) {
      const task: TaskDoc = {
        id,
        operation: '1',
        receiver: `app/${n}`,
        receiverKind: 'unit',
        name: 'backup',
        parameters: {},
        status: 'completed',
        message: '',
        output: { text: output! },
        enqueued: tx.now,
      };
      tx.put('task', id, task);
    }
    for (let n = 1; n <= count; n++) {
      const id = String(n);
      tx.put('operation', id, { id, summary: '', enqueued: tx.now, tasks: ids });
    }
  });
const list = (params: object = {}): Promise<Listed> => callers.call('Action', 'ListOperations', params);

test('an operation is named as often as an answer has room for its tasks', async () => {
  await fill(1, 5000);
  const entities = Array.from({ length: 1000 }, () => ({ tag: 'operation-1' }));
  const { results } = await callers.call<Listed>('Action', 'Operations', { entities });
  const shown = Math.floor(limits.answerEntries.max / 5001);
  expect(results.filter(({ error }) => error === undefined)).toHaveLength(shown);
  expect(results.at(-1)).toMatchObject({ operation: 'operation-1', error: { code: 'quota limit exceeded' } });
});

test('a list of operations is cut where the answer is full, and goes on from there', async () => {
  await fill(50, 5000);
  const { results, truncated } = await list();
  expect([results.length, truncated]).toEqual([Math.floor(limits.answerEntries.max / 5001), true]);
  const rest = await list({ offset: results.length });
  expect(rest.results[0]!.operation).toBe(`operation-${50 - results.length}`);
});

test('outputs fill an answer: the list is cut, an operation that alone is too long is refused', async () => {
  const { max } = limits.answer;
  await fill(2, 10, 'x'.repeat(max / 18));
  expect(await list()).toMatchObject({ results: [{}], truncated: true });
  await fill(2, 20, 'x'.repeat(max / 18));
  await expect(list()).rejects.toMatchObject({ code: 'quota limit exceeded' });
});

test('filters of ten thousand names cost no more than the tasks and the names', async () => {
  await fill(5, 5000, '');
  const units = Array.from({ length: limits.listEntries.max }, (_, n) => `none/${n}`);
  const once = async (params: object): Promise<number> => {
    const { user } = process.cpuUsage();
    await list(params);
    return process.cpuUsage().user - user;
  };
  const one = await once({ units: units.slice(0, 1) });
  const all = await once({ units });
  // Comparing the units one by one with each task takes a thousand times as long.
  expect(all).toBeLessThan(50 * Math.max(one, 10_000));
});
