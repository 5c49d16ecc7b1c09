import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { deployUnits } from '../../../testing/deploy-units.ts';
import { beginRestore, recordListed } from '../../transactions/change/restore.ts';

const restore = { id: 'r-1', backup: '2026-01-01T00:00:00Z', at: '2026-01-02T00:00:00Z' };

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  await callers.addCharm('web');
  await callers.change((tx) => {
    deployUnits(tx, 'web', 1);
    const instance = { id: 'i-0', displayName: '', hardware: {}, isolation: '' };
    tx.put('machine', '0', { ...tx.get('machine', '0')!, nonce: 'n-0', instance });
  });
});
afterEach(() => callers[Symbol.asyncDispose]());

const plan = (hooks = 'keep'): Promise<unknown> => callers.call('Provisioning', 'RestorePlan', { hooks });
const begin = async (isListed = true): Promise<void> => {
  await callers.change((tx) => beginRestore(tx.in(''), restore));
  if (isListed) await callers.change(recordListed);
};

test('RestorePlan tells of a model that was not restored that it was not', async () => {
  expect(await plan()).toEqual({ differences: [], more: 0 });
});

test('RestorePlan tells what agents have told, until AcceptRestore', async () => {
  await begin();
  callers.setPresent('0');
  const as = { as: { kind: 'machine', machine: '0', nonce: 'n-0' } } as const;
  await callers.call('MachineAgent', 'UnknownUnits', { units: ['web/7'] }, as);
  const agentState = { committed: 2 };
  const state = { unit: 'web/0', restore: 'r-1', agentState, charmState: {} };
  await callers.call('MachineAgent', 'KeepState', state, as);
  expect(await plan()).toMatchObject({
    restored: { ...restore, state: 'held' },
    differences: [
      { kind: 'unit', name: 'web/7' },
      { kind: 'hooks', name: 'web/0', text: '2 hooks were committed after the backup' },
    ],
    more: 0,
  });
  expect(await plan('rerun')).toMatchObject({
    differences: [{}, { outcome: 'goes on where the backup has it: hooks run again' }],
  });
  await callers.call('Provisioning', 'AcceptRestore', { restore: 'r-1', hooks: 'keep' });
  expect(await plan()).toEqual({ restored: { ...restore, state: 'keep' }, differences: [], more: 0 });
  expect(callers.view().get('unit-state', 'web/0')?.agent).toEqual(agentState);
});

test('RestorePlan tells that it does not know yet which instances are newer, until the cloud has told', async () => {
  await begin(false);
  callers.setPresent('0');
  expect(await plan()).toMatchObject({
    differences: [
      { kind: 'instance', name: '…', text: expect.stringContaining('has not yet told') as string },
    ],
  });
  await callers.change(recordListed);
  expect(await plan()).toMatchObject({ differences: [] });
});

test('AcceptRestore refuses a restore that the model does not wait for', async () => {
  const accept = (id: string): Promise<unknown> =>
    callers.call('Provisioning', 'AcceptRestore', { restore: id, hooks: 'keep' });
  await expect(accept('r-1')).rejects.toThrow('waits for no restore');
  await begin();
  await expect(accept('r-0')).rejects.toThrow('was restored again');
});

test('RestorePlan lists as many differences as an answer has room for, and counts the others', async () => {
  await begin();
  callers.setPresent('0');
  const { max } = limits.restoreDifferences;
  await callers.change((tx) => {
    for (let i = 0; i < max + 2; i++)
      tx.put('stray', `i-x${i}`, { instanceId: `i-x${i}`, machine: '', since: restore.at });
  });
  const { differences, more } = (await plan()) as { differences: unknown[]; more: number };
  expect([differences.length, more]).toEqual([max, 2]);
});
