/** Tests of what import-filesystem refuses, and of what it waits for (storage.md#importing). */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { silentVolumes } from '../../../testing/silent-volumes.ts';
import { volumeCreated, volumeFailed } from '../../transactions/instance/volumes.ts';
import { mustGet } from '../../transactions/tx.ts';

const volumes = silentVolumes('local');
const importable = { ...volumes, adopt: () => Promise.reject(new Error('only the worker asks the cloud')) };
const wanted = { kind: 2, pool: 'local', 'provider-id': 'v-1', 'storage-name': 'data' };

interface Answer {
  readonly results: [{ readonly error?: { code?: string; message: string }; readonly result?: object }];
}

let callers: Callers;
const ask = (more: object = {}): Promise<Answer> =>
  callers.call<Answer>('Storage', 'Import', { storage: [{ ...wanted, ...more }] });
/** Waits until the import's record is there, for the worker. */
const begun = (): Promise<void> =>
  expect.poll(() => callers.view().get('storage', 'data/0')?.adopting).toBe('v-1') as Promise<void>;

describe('a cloud that can take volumes in', () => {
  /** Ends the time for which a caller waits. */
  let loseHope: () => void;
  beforeEach(async () => {
    const patience = Promise.withResolvers<void>();
    loseHope = patience.resolve;
    callers = await createCallers({ environ: { storage: importable }, sleep: () => patience.promise });
  });
  afterEach(() => callers[Symbol.asyncDispose]());

  test.each<[object, string, string]>([
    [{ kind: 1 }, 'not supported', 'storage kind "block" not supported'],
    [{ pool: 'a_b' }, 'not valid', 'pool name "a_b" not valid'],
    [{ pool: 'ebs' }, 'not found', 'storage provider "ebs" not found'],
    [
      { pool: 'rootfs' },
      'not supported',
      'importing filesystem with storage provider "rootfs" not supported',
    ],
    [{ pool: 'loop' }, 'not supported', 'importing volume with storage provider "loop" not supported'],
    [{ 'storage-name': 'Data' }, 'not valid', 'storage name "Data" not valid'],
    [{ 'provider-id': '' }, 'not valid', 'empty provider id not valid'],
  ])('an import of %j is refused, and leaves no record', async (more, code, message) => {
    const { results } = await ask(more);
    expect(results[0].error).toMatchObject({ code, message });
    expect(callers.view().count('storage')).toBe(0);
  });

  test('the id of a volume has a maximum length', async () => {
    const { max } = limits.volumeId;
    expect((await ask({ 'provider-id': 'v'.repeat(max + 1) })).results[0].error).toMatchObject({
      code: 'quota limit exceeded',
      message: `id of a volume in the cloud: ${max + 1} characters exceed the limit of ${max}`,
    });
    expect(callers.view().count('storage')).toBe(0);
  });

  test('a volume that was taken is storage that no unit uses, and is not taken twice', async () => {
    const asked = ask();
    await begun();
    expect((await ask()).results[0].error).toMatchObject({
      code: 'already exists',
      message: 'volume "v-1" is storage "data/0" of this model',
    });
    await callers.change((tx) => volumeCreated(tx, { storage: 'data/0', providerId: 'v-1', size: 64 }));
    expect((await asked).results).toEqual([{ result: { 'storage-tag': 'storage-data-0' } }]);
    const doc = callers.view().get('storage', 'data/0');
    expect(doc).toMatchObject({ size: 64, made: { providerId: 'v-1', size: 64 }, detachable: true });
    expect(doc).not.toHaveProperty('adopting');
    expect((await ask()).results[0].error).toMatchObject({ code: 'already exists' });
  });

  test('a volume that is taken while its caller loses patience is no failure', async () => {
    const asked = ask();
    await begun();
    const taken = callers.change((tx) =>
      volumeCreated(tx, { storage: 'data/0', providerId: 'v-1', size: 64 }),
    );
    loseHope();
    await taken;
    expect((await asked).results).toEqual([{ result: { 'storage-tag': 'storage-data-0' } }]);
  });

  test('a volume that the cloud says nothing of is let go after a minute', async () => {
    const asked = ask();
    await begun();
    loseHope();
    expect((await asked).results[0].error?.message).toBe('importing filesystem: the cloud does not answer');
    expect(callers.view().get('storage', 'data/0')).toMatchObject({ ending: 'release' });
  });

  test('a dying model takes no volume in, which its end would destroy', async () => {
    await callers.change((tx) =>
      tx.in('').put('model', tx.space, { ...mustGet(tx.in(''), 'model', tx.space), life: 'dying' }),
    );
    expect((await ask()).results[0].error?.message).toBe('model "default" is no longer alive');
    expect(callers.view().count('storage')).toBe(0);
  });

  const failure = {
    storage: 'data/0',
    message: 'volume "v-1" not found',
    retry: { attempt: 1, at: '2026-01-01T00:00:30Z' },
  };
  test('a volume that cannot be taken is let go, and the reason is told', async () => {
    const asked = ask();
    await begun();
    await callers.change((tx) => volumeFailed(tx, failure));
    expect((await asked).results[0].error?.message).toBe('importing filesystem: volume "v-1" not found');
    expect(callers.view().get('storage', 'data/0')).toMatchObject({ ending: 'release' });
  });
});

test('an import into a cloud that takes no volumes in is refused', async () => {
  await using other = await createCallers({ environ: { storage: volumes } });
  const { results } = await other.call<Answer>('Storage', 'Import', { storage: [wanted] });
  expect(results[0].error?.message).toBe('importing filesystem with storage provider "local" not supported');
});
