/** What stands for charms in a forecast. */
import { expect, test } from 'vitest';
import { statusId } from '../core/status.ts';
import type { HookContext } from '../hooks/context.ts';
import { createCallers } from '../testing/call.ts';
import { PlayedCharms } from './charms.ts';

const seen = { hooks: 0, runs: 0, starts: 0, boots: 0, containerStarts: 0, containerBoots: 0 };
const since = '2026-01-01T00:00:00.000Z';

/** Runs the start hook of a unit of an application whose other units are active; returns the statuses that it sets. */
async function started(status: string, message: string): Promise<string[]> {
  await using callers = await createCallers();
  await callers.change((tx) => {
    const put = (entity: string, own: { status: string; message: string }): void =>
      tx.put('status', statusId('workload', entity), { kind: 'workload', entity, data: {}, since, ...own });
    put('web/0', { status, message });
  });
  const charms = new PlayedCharms(() => callers.view(), { hooks: {}, seen });
  const set: string[] = [];
  const context = {
    setStatus: (...words: readonly string[]) => Promise.resolve(void set.push(words.join(' '))),
  } as unknown as HookContext;
  await charms.behaviour({
    unit: 'web/0',
    name: 'start',
    context,
    signal: undefined,
    log: () => undefined,
    sleep: () => Promise.resolve(),
    random: () => 0.5,
    storage: () => undefined,
  });
  return set;
}

test('a start that was under way at the copy, after it had set its status, sets the same again', async () => {
  expect(await started('blocked', 'needs a database')).toEqual(['workload blocked needs a database']);
});

test('a unit that starts for the first time gets active', async () => {
  expect(await started('maintenance', 'installing charm software')).toEqual(['workload active ']);
});

test('machines and containers boot in the time that theirs took, and in the usual one without a history', async () => {
  await using callers = await createCallers();
  const bootsOf = (known: { readonly boot?: number; readonly containerBoot?: number }): number[] => {
    const { durations } = new PlayedCharms(() => callers.view(), { hooks: {}, seen, ...known });
    return [durations.boot('3'), durations.boot('3/lxd/0')];
  };
  expect(bootsOf({ boot: 90_000, containerBoot: 5_000 })).toEqual([90_000, 5_000]);
  expect(bootsOf({})).toEqual([30_000, 30_000]);
});
