import { expect, test } from 'vitest';
import { createCallers } from '../../../testing/call.ts';
import { silentVolumes } from '../../../testing/silent-volumes.ts';
import { storageDoc } from '../../../testing/storage-doc.ts';

test('storage that the cloud cannot release is refused alike by removals and by their plans', async () => {
  await using callers = await createCallers({ environ: { storage: silentVolumes('lxd') } });
  await callers.change((tx) => tx.put('storage', 'data/0', storageDoc('data/0', { detachable: true })));
  const message = 'storage provider "lxd" does not support releasing storage';
  const models = [{ 'model-tag': `model-${callers.model}`, 'destroy-storage': false }];
  for (const [facade, method] of [
    ['ModelManager', 'DestroyModels'],
    ['Lives', 'PlanModelRemoval'],
  ] as const) {
    const { results } = await callers.call<{ results: [{ error?: { message: string } }] }>(
      facade,
      method,
      { models },
      { model: '' },
    );
    expect(results[0].error?.message).toBe(message);
  }
  await expect(
    callers.call(
      'Controller',
      'DestroyController',
      { 'destroy-models': true, 'destroy-storage': false },
      { model: '' },
    ),
  ).rejects.toThrow(message);
  expect(callers.store.read().in('').get('model', callers.model)?.life).toBe('alive');
});
