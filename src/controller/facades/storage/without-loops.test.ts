/** Tests of models whose machines have no loop devices (storage.md#loop). */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { deployLocal } from '../../../testing/deploy-local.ts';

const noLoops = 'machines of this host cannot have any';
const why = { code: 'not supported', message: expect.stringContaining(noLoops) as string };
let callers: Callers;
beforeEach(async () => {
  callers = await createCallers({ environ: { noLoops } });
  await callers.addCharm('disks', { storage: { disk: { type: 'block' } } });
  await callers.addCharm('any', { storage: { disk: { type: 'block', multiple: { range: '0+' } } } });
});
afterEach(() => callers[Symbol.asyncDispose]());

const add = async (storage: object): Promise<unknown> => {
  const storages = [{ unit: 'unit-any-0', name: 'disk', storage }];
  const { results } = await callers.call<{ results: [unknown] }>('Storage', 'AddToUnit', { storages });
  return results[0];
};

test('a charm that needs a disk is not deployed', async () => {
  expect(await deployLocal(callers, 'disks')).toMatchObject({ error: why });
  expect(callers.view().get('application', 'disks')).toBeUndefined();
});

test('a unit gets no disk later, also by a pool of another name', async () => {
  await deployLocal(callers, 'any');
  const pools = [{ name: 'own', provider: 'loop', attrs: {} }];
  await callers.call('Storage', 'CreatePool', { pools });
  for (const storage of [{}, { pool: 'loop' }, { pool: 'own', count: 2 }])
    expect(await add(storage)).toMatchObject({ error: why });
  expect(callers.view().count('storage')).toBe(0);
});

test('a unit whose application had disks elsewhere, as before a restore on this host, is not added', async () => {
  await deployLocal(callers, 'any');
  const storage = { disk: { pool: 'loop', provider: 'loop', detachable: false, size: 1024, count: 1 } };
  await callers.change((tx) => tx.put('application', 'any', { ...tx.get('application', 'any')!, storage }));
  const before = callers.view().count('unit');
  const units = { application: 'any', 'num-units': 2, constraints: {}, placement: [] };
  await expect(callers.call('Application', 'AddUnits', units)).rejects.toMatchObject(why);
  expect(callers.view().count('unit')).toBe(before);
});
