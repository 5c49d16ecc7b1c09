/** Tests of what storage may cost the controller, whoever asks for it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { deployLocal } from '../../../testing/deploy-local.ts';
import { storageDoc } from '../../../testing/storage-doc.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  await callers.addCharm('app', { storage: { data: { type: 'filesystem', multiple: { range: '0+' } } } });
  await deployLocal(callers, 'app');
  await callers.change((tx) => tx.put('unit', 'app/0', { ...tx.get('unit', 'app/0')!, deployed: true }));
});
afterEach(() => callers[Symbol.asyncDispose]());

const count = (): number => callers.view().count('storage');
const tooMany = limits.storagesOfUnit.max + 1;

/** Adds storage as a hook does, by the facade of the unit's agent. */
const byHook = (n: number): Promise<unknown> =>
  callers.call(
    'MachineAgent',
    'CommitHook',
    {
      unit: 'app/0',
      hookId: `hook-${n}`,
      relationSettings: [],
      openPorts: [],
      closePorts: [],
      agentState: {},
      addStorage: [{ name: 'data', count: n }],
    },
    { as: { kind: 'machine', machine: '0' } },
  );
const byUser = async (n: number): Promise<unknown> => {
  const { results } = await callers.call<{ results: [{ error?: { message: string } }] }>(
    'Storage',
    'AddToUnit',
    { storages: [{ unit: 'unit-app-0', name: 'data', storage: { count: n } }] },
  );
  if (results[0].error) throw new Error(results[0].error.message);
  return results;
};

describe.each([
  ['a hook', byHook],
  ['a user', byUser],
])('%s', (_, add) => {
  test.each([1_000_000_000, tooMany, -1])('a request for %i instances of a storage is refused', async (n) => {
    await expect(add(n)).rejects.toThrow();
    expect(count()).toBe(0);
  });
  test('a request for as many instances as a unit may have is accepted, and one more is refused', async () => {
    await add(limits.storagesOfUnit.max);
    expect(count()).toBe(limits.storagesOfUnit.max);
    await expect(add(1)).rejects.toThrow(`${limits.storagesOfUnit.max}`);
  });
});

test('the number of storages that were made never falls', async () => {
  await byUser(2);
  await byHook(-2).catch(() => undefined);
  await byUser(1);
  expect([...callers.view().list('storage')].map(({ id }) => id).sort()).toEqual([
    'data/0',
    'data/1',
    'data/2',
  ]);
});

describe('an answer', () => {
  const many = limits.answerEntries.max;
  const filters = Array.from({ length: 1000 }, () => ({}));
  beforeEach(() =>
    callers.change((tx) => {
      for (let n = 0; n < 2 + many / filters.length; n++) {
        const doc = storageDoc(`data/${n}`, { machine: '0' });
        tx.put('storage', doc.id, doc);
      }
    }),
  );
  test.each(['ListStorageDetails', 'ListFilesystems'])(
    'the answer of %s has no more entries than an answer may have',
    async (method) => {
      const { results } = await callers.call<{ results: { error?: { code: string } }[] }>('Storage', method, {
        filters,
      });
      expect(results[0]?.error).toBeUndefined();
      expect(results.at(-1)?.error?.code).toBe('quota limit exceeded');
    },
  );
  test('the answer of ListPools has no more entries than an answer may have', async () => {
    await callers.change((tx) => {
      for (let n = 0; n < 2 + many / filters.length; n++)
        tx.put('storage-pool', `p${n}`, { name: `p${n}`, provider: 'rootfs', attributes: {} });
    });
    const { results } = await callers.call<{ results: { error?: { code: string } }[] }>(
      'Storage',
      'ListPools',
      { filters },
    );
    expect(results.at(-1)?.error?.code).toBe('quota limit exceeded');
  });
});
