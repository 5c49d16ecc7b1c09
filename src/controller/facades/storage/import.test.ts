/** Tests of what import-filesystem refuses, and of what it waits for (storage.md#importing). */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../../testing/call.ts';
import type { VolumeSource } from '../../../providers/contract/provider.ts';
import { volumeCreated, volumeFailed } from '../../transactions/instance/volumes.ts';

const unused = (): Promise<never> => Promise.reject(new Error('only the worker asks the cloud'));
const volumes: VolumeSource = {
  type: 'local',
  config: {},
  create: unused,
  list: unused,
  destroy: unused,
  attach: unused,
  detach: unused,
  adopt: unused,
};
const wanted = { kind: 2, pool: 'local', 'provider-id': 'v-1', 'storage-name': 'data' };

interface Answer {
  readonly results: [{ readonly error?: { code?: string; message: string }; readonly result?: object }];
}

let callers: Callers;
const ask = (more: object = {}): Promise<Answer> =>
  callers.call<Answer>('Storage', 'Import', { storage: [{ ...wanted, ...more }] });
/** Waits until the record is there, for the worker. */
const begun = (): Promise<void> =>
  expect.poll(() => callers.view().get('storage', 'data/0')?.adopting).toBe('v-1') as Promise<void>;

describe('a cloud that can take volumes in', () => {
  beforeEach(async () => void (callers = await createCallers({ environ: { storage: volumes } })));
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
  ])('%j is refused, and leaves no record', async (more, code, message) => {
    const { results } = await ask(more);
    expect(results[0].error).toMatchObject({ code, message });
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

test('a cloud that takes none in is refused', async () => {
  const { adopt: _, ...others } = volumes;
  await using other = await createCallers({ environ: { storage: others } });
  const { results } = await other.call<Answer>('Storage', 'Import', { storage: [wanted] });
  expect(results[0].error?.message).toBe('importing filesystem with storage provider "local" not supported');
});
