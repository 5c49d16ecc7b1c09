import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentLog } from '../../kit/log.ts';
import type { BlobStore } from '../../store/blobs.ts';
import { openFileBlobs } from '../../store/files/open-file-blobs.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { setResourceContent } from '../transactions/shared/resources.ts';
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

/** Makes revisions until the model's history of `revisions` has forgotten all that was before. */
async function outliveHistory(model: ModelFixture, revisions: number): Promise<void> {
  for (let n = 0; n <= revisions; n++) {
    model.advance(1_000);
    await model.change((tx) => tx.put('annotation', 'model', { tag: 'model', values: { n: String(n) } }));
  }
}

test('an archive goes when the history has forgotten the last charm that had it', async () => {
  const revisions = 20;
  await using model = await modelFixture({ revisions });
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
  expect(await pass()).toBe(3_600_000);
  expect(blobs.path(shared)).toBeDefined();
  expect([...model.view().list('past-blob')].map(({ of }) => of)).toEqual(['charm local:wordpress-0']);
  await outliveHistory(model, revisions);
  expect(await pass()).toBeUndefined();
  expect(model.view().count('past-blob')).toBe(0);
  expect(blobs.path(shared)).toBeUndefined();
});

test('an archive that lost its last user after the clock was set back is kept for the history', async () => {
  await using model = await modelFixture();
  const archive = await give(model, 'local:mysql-0', 'mysql');
  await model.deploy('mysql', { numUnits: 0 });
  const { pass } = collector(model);
  await pass();
  model.advance(-3_600_000);
  await model.change((tx) => destroyApplication(tx, { application: 'mysql' }));
  await pass();
  expect(blobs.path(archive)).toBeDefined();
});

test('a model that is being migrated keeps its files of the past until it changes again', async () => {
  const revisions = 20;
  await using model = await modelFixture({ revisions });
  const { uuid } = model;
  await give(model, 'local:mysql-0', 'mysql');
  await model.deploy('mysql', { numUnits: 0 });
  await model.change((tx) => destroyApplication(tx, { application: 'mysql' }));
  await outliveHistory(model, revisions);
  const setPhase = (phase: 'IMPORT' | 'ABORTDONE'): Promise<void> =>
    model.store.change((root) => {
      const target = { uuid: 'u', alias: 'new', addresses: [], caCert: '', user: 'user-admin' };
      const of = { model: uuid, attempt: 0, startedAt: root.now, phaseAt: root.now, message: '' };
      root.put('migration', uuid, { ...of, phase, target });
    }, 'test');
  const { pass } = collector(model);
  await setPhase('IMPORT');
  expect(await pass()).toBe(3_600_000);
  expect(model.view().count('past-blob')).toBe(1);
  await setPhase('ABORTDONE');
  expect(await pass()).toBeUndefined();
  expect(model.view().count('past-blob')).toBe(0);
});

test('contents of resources that were replaced, or went with their application, are kept for the past', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql', { numUnits: 0 });
  const site = async (content: string): Promise<string> => {
    const { sha256, size } = await blobs.put(Buffer.from(content));
    await model.change((tx) => {
      const charm = tx.get('charm', 'local:mysql-0')!;
      const declared = { type: 'file', path: 'site', description: '' };
      tx.put('charm', charm.url, { ...charm, meta: { ...charm.meta, resources: { site: declared } } });
      const content_ = { fingerprint: sha256, sha256, size, username: 'admin' };
      setResourceContent(tx, { application: 'mysql', name: 'site' }, content_);
    });
    return sha256;
  };
  const first = await site('first');
  const { pass } = collector(model);
  await pass();
  const second = await site('second');
  expect(await site('second')).toBe(second);
  await pass();
  const kept = (): string[] => [...model.view().list('past-blob')].map(({ sha256 }) => sha256);
  expect(kept()).toEqual([first]);
  await model.change((tx) => destroyApplication(tx, { application: 'mysql' }));
  await pass();
  expect(kept()).toEqual([first, second, expect.any(String)]);
  expect([blobs.path(first), blobs.path(second)]).not.toContain(undefined);
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
    await model.change((tx) => {
      destroyApplication(tx, { application: 'mysql' });
      tx.remove('past-blob', mysql);
    });
    await pass();
    expect(blobs.path(mysql)).toBeDefined();
  });
  await pass();
  expect(blobs.path(mysql)).toBeUndefined();
});
