/** Tests of the records of disks, and of file systems on them (storage.md#loop). */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { storageSpecs } from '../../core/storage/spec.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { storageMade, storageMounted, storageUnmounted } from './agent/storage.ts';
import { makeStorage } from './begin/add-storage.ts';

let model: ModelFixture;
beforeEach(async () => void (model = await modelFixture()));
afterEach(() => model[Symbol.asyncDispose]());

const specs = storageSpecs({ disk: { type: 'block' }, data: { type: 'filesystem' } });
const loop = { pool: 'loop', provider: 'loop', detachable: false, size: 64, count: 1 };
const make = (name: string, wish = loop, count = 1): Promise<string[]> =>
  model.change((tx) => makeStorage(tx, { name: 'mysql/0', machine: '0' }, specs[name]!, wish, count));
const doc = (id: string) => model.view().get('storage', id);

test('disks and what is below file systems are numbered together, file systems by themselves', async () => {
  await make('data', { ...loop, pool: 'rootfs', provider: 'rootfs' });
  await make('disk', loop, 2);
  await make('data');
  expect(doc('data/0')).toMatchObject({ number: '0/0' });
  expect(doc('data/0')).not.toHaveProperty('volume');
  expect(['disk/1', 'disk/2'].map((id) => doc(id)?.number)).toEqual(['0/0', '0/1']);
  expect(doc('disk/1')).not.toHaveProperty('volume');
  expect(doc('data/3')).toMatchObject({ number: '0/1', volume: '0/2' });
});

test('a device is known as long as it is there', async () => {
  await make('disk');
  const at = { machine: '0', storage: 'disk/0' };
  await model.change((tx) => storageMade(tx, { ...at, size: 64 }));
  expect(doc('disk/0')).toMatchObject({ made: { providerId: 'volume-0-0', size: 64 } });
  await model.change((tx) => storageMounted(tx, { ...at, path: '/dev/loop0', device: 'loop0' }));
  expect(doc('disk/0')).toMatchObject({ mounted: '/dev/loop0', device: 'loop0' });
  await model.change((tx) => storageMounted(tx, { ...at, path: '/dev/loop1', device: 'loop1' }));
  expect(doc('disk/0')).toMatchObject({ mounted: '/dev/loop1', device: 'loop1' });
  await model.change((tx) => storageUnmounted(tx, at));
  expect(doc('disk/0')).not.toHaveProperty('device');
});
