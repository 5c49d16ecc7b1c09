import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentLog } from '../../kit/log.ts';
import type { BlobStore } from '../../store/blobs.ts';
import { openFileBlobs } from '../../store/files/open-file-blobs.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { destroyApplication } from '../transactions/end/destroy-application.ts';
import { createBlobCollector } from './blob-collector.ts';

let folder: string;
let blobs: BlobStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grigri-collector-'));
  blobs = openFileBlobs(folder);
});
afterEach(() => rm(folder, { recursive: true }));

/** Adds a charm with this archive to the model. */
async function give(model: ModelFixture, url: string, content: string): Promise<string> {
  const { sha256 } = await blobs.put(Buffer.from(content));
  await model.change((tx) => tx.put('charm', url, { ...tx.get('charm', url)!, sha256 }));
  return sha256;
}

function collector(model: ModelFixture) {
  const world = { woken: 0 };
  const { pass, stop } = createBlobCollector({
    store: model.store,
    services: { blobs, log: silentLog },
    wake: () => void world.woken++,
  });
  return { world, pass, stop };
}

test('the first pass removes unreferenced archives and leaves the rest', async () => {
  await using model = await modelFixture();
  const used = await give(model, 'local:mysql-0', 'mysql');
  await blobs.put(Buffer.from('left by a crash'));
  await collector(model).pass();
  expect(await blobs.list()).toEqual([used]);
});

test('an archive is removed with the last charm that has it', async () => {
  await using model = await modelFixture();
  const shared = await give(model, 'local:mysql-0', 'same');
  await give(model, 'local:wordpress-0', 'same');
  await model.deploy('mysql', { numUnits: 0 });
  await model.deploy('wordpress', { numUnits: 0 });
  const { world, pass } = collector(model);
  await pass();
  await model.change((tx) => destroyApplication(tx, { application: 'mysql' }));
  expect(world.woken).toBe(1);
  await pass();
  expect(blobs.path(shared)).toBeDefined();
  await model.change((tx) => destroyApplication(tx, { application: 'wordpress' }));
  await pass();
  expect(blobs.path(shared)).toBeUndefined();
});

test('an upload in progress keeps an archive that was there already and unreferenced', async () => {
  await using model = await modelFixture();
  await blobs.put(Buffer.from('again'));
  const { pass } = collector(model);
  await blobs.keep(async () => {
    const { sha256 } = await blobs.put(Buffer.from('again'));
    expect(await pass()).toBeGreaterThan(0);
    await model.change((tx) =>
      tx.put('charm', 'local:mysql-0', { ...tx.get('charm', 'local:mysql-0')!, sha256 }),
    );
  });
  expect(await pass()).toBeUndefined();
  expect(await blobs.list()).toHaveLength(1);
});

test('archives that became unreferenced during an upload are removed afterwards', async () => {
  await using model = await modelFixture();
  const mysql = await give(model, 'local:mysql-0', 'mysql');
  await model.deploy('mysql', { numUnits: 0 });
  const { pass } = collector(model);
  await pass();
  await blobs.keep(async () => {
    await model.change((tx) => destroyApplication(tx, { application: 'mysql' }));
    await pass();
    expect(blobs.path(mysql)).toBeDefined();
  });
  await pass();
  expect(blobs.path(mysql)).toBeUndefined();
});
