import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from '../../client/calls.ts';
import { uploadCharm } from '../../client/http.ts';
import { uploadResource } from '../../client/resources.ts';
import { noMachineMap } from '../../core/bundle/bundle-model.ts';
import { testController, type TestController } from '../../testing/controller.ts';
import { newModel, testOperator, type TestOperator } from '../../testing/operator.ts';
import { readBundle } from '../files/read-bundle.ts';
import { localResource } from '../files/local-resources.ts';
import { localCharm } from '../files/upload-charm.ts';
import { rolloutOf } from '../refresh/rollout.ts';
import type { ModelSession } from '../sessions.ts';
import {
  carryOutBundle,
  plannedChanges,
  prepareBundle,
  type BundleEvent,
  type PreparedBundle,
} from './deploy-bundle.ts';

let controller: TestController;
let folder: string;
beforeAll(async () => {
  controller = await testController();
  folder = mkdtempSync(join(tmpdir(), 'grigri-operate-'));
  for (const [name, members] of [
    ['kv', 'provides:\n  db: {interface: kv}\n'],
    ['files', 'resources:\n  blob: {filename: blob.tgz}\n  image: {type: oci-image}\n'],
    ['keeper', 'storage:\n  data: {type: filesystem}\n'],
    ['web', 'requires:\n  db: {interface: kv, optional: false}\n'],
  ] as const) {
    write(`${name}/metadata.yaml`, `name: ${name}\nsummary: s\ndescription: d\n${members}`);
    write(`${name}/hooks/install`, '#!/bin/sh\n');
  }
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await controller[Symbol.asyncDispose]();
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text, { mode: 0o755 });
}

async function prepared(
  operator: TestOperator<BundleEvent>,
  session: ModelSession,
  text: string,
): Promise<PreparedBundle> {
  write('bundle.yaml', text);
  const { bundle } = await readBundle(
    { cwd: folder, home: folder, signal: new AbortController().signal },
    join(folder, 'bundle.yaml'),
    [],
  );
  return prepareBundle(operator, {
    bundle,
    map: noMachineMap,
    readResource: (name, declared, value) =>
      localResource({ cwd: folder, home: folder, uploadResource }, name, declared, value),
    readCharm: (path) => localCharm(path, uploadCharm),
    openController: () => Promise.reject(new Error('bundles without offers open no controller')),
    session,
    force: false,
  });
}

const bothApplications =
  'applications: {kv: {charm: ./kv, num_units: 1}, web: {charm: ./web, num_units: 1}}\nrelations: [["web:db", kv]]';

describe('a bundle', () => {
  test('a bundle becomes the steps that the model lacks, each reported when done; a second run has no steps', async () => {
    await using session = await newModel(controller, 'twice');
    const operator = testOperator<BundleEvent>();
    const firstDeploy = await prepared(operator, session, bothApplications);
    const { changes, pending } = plannedChanges(operator, firstDeploy);
    expect({ pending, events: operator.events }).toEqual({ pending: [], events: [] });
    const result = await carryOutBundle(operator, firstDeploy);
    expect(result.changes).toEqual(changes);
    expect(operator.events.filter(({ kind }) => kind !== 'detail')).toEqual(
      changes.map((text) => ({ kind: 'step done', text })),
    );
    expect(result.requirements.pending).toEqual([]);
    expect((await prepared(operator, session, bothApplications)).plan.steps).toEqual([]);
  });

  test('a bundle reports the applications that would wait before anything is changed', async () => {
    await using session = await newModel(controller, 'waits');
    const operator = testOperator<BundleEvent>();
    const text = 'applications: {web: {charm: ./web, num_units: 2}}';
    const plan = plannedChanges(operator, await prepared(operator, session, text));
    const missing = [{ endpoint: 'db', interface: 'kv', applications: [] }];
    expect(operator.events).toEqual([{ kind: 'would wait', application: 'web', missing }]);
    expect(plan.pending).toMatchObject([{ application: 'web', missing, units: 2, running: 0 }]);
  });

  test('a bundle with storage from a pool that the model lacks changes nothing', async () => {
    await using session = await newModel(controller, 'pools');
    const bundle = (pool: string) =>
      `applications: {keeper: {charm: ./keeper, storage: {data: "${pool},1G"}}}`;
    await expect(prepared(testOperator<BundleEvent>(), session, bundle('fast'))).rejects.toMatchObject({
      code: 'not found',
      message: 'application "keeper": storage "data": pool "fast" not found',
    });
    const pools = [{ name: 'fast', provider: 'rootfs', attrs: {} }];
    await call(session.connection, 'Storage', 'CreatePool', { pools });
    const { plan } = await prepared(testOperator<BundleEvent>(), session, bundle('fast'));
    expect(plan.steps.map(({ kind }) => kind)).toEqual(['upload', 'deploy']);
  });

  test('a bundle stops at a step that fails, and the next run continues there', async () => {
    await using session = await newModel(controller, 'stops');
    const operator = testOperator<BundleEvent>();
    const wrong = 'applications: {kv: {charm: ./kv, num_units: 1, to: [nonsense=1]}}';
    await expect(carryOutBundle(operator, await prepared(operator, session, wrong))).rejects.toThrow(
      /^cannot deploy bundle: /,
    );
    expect(operator.events.at(-1)).toEqual({
      kind: 'stopped',
      text: 'add unit kv/0 to nonsense=1',
      done: 2,
      of: 3,
    });
    const right = 'applications: {kv: {charm: ./kv, num_units: 1}}';
    const result = await carryOutBundle(operator, await prepared(operator, session, right));
    expect(result.changes).toEqual(['add unit kv/0 to new machine']);
  });

  describe('charms that applications swap', () => {
    const bundle = (a: string, b: string): string =>
      `applications: {a: {charm: ${a}, num_units: 0}, b: {charm: ${b}, num_units: 0}}`;

    test.each([
      ['./kv2', './kv'],
      ['local:kv-1', 'local:kv-0'],
    ])('are there for the second application, too: %s and %s', async (first, second) => {
      await using session = await newModel(controller, `swap${first.length}`);
      write('kv2/metadata.yaml', 'name: kv\nsummary: other\ndescription: d\n');
      write('kv2/hooks/install', '#!/bin/sh\n');
      const operator = testOperator<BundleEvent>();
      const deploy = async (text: string): Promise<readonly string[]> =>
        (await carryOutBundle(operator, await prepared(operator, session, text))).changes;
      await deploy(bundle('./kv', './kv2'));
      expect(await deploy(bundle(first, second))).toHaveLength(2);
      expect((await prepared(operator, session, bundle('./kv2', './kv'))).plan.steps).toEqual([]);
      const { connection } = session;
      expect(await call(connection, 'Charms', 'List', { names: [] })).toEqual({
        'charm-urls': ['local:kv-0', 'local:kv-1'],
      });
      const { files, holder } = await call(connection, 'ModelFiles', 'Status', {});
      expect({ files, holder }).toMatchObject({ files: [{ name: '-bundle' }] });
      const owned = await call(connection, 'ModelFiles', 'Owned', { file: '-bundle' });
      expect(owned.owned).toEqual([]);
      await deploy(bundle(second, second));
      expect(await call(connection, 'Charms', 'List', { names: [] })).toEqual({
        'charm-urls': ['local:kv-0'],
      });
    });
  });

  test('the deploy of a bundle ends between two steps when its signal aborts', async () => {
    await using session = await newModel(controller, 'signal');
    const stop = new AbortController();
    const operator = testOperator<BundleEvent>({ signal: stop.signal });
    const plan = await prepared(operator, session, bothApplications);
    stop.abort();
    await expect(carryOutBundle(operator, plan)).rejects.toMatchObject({ name: 'AbortError' });
    expect(operator.events.at(-1)).toMatchObject({ kind: 'stopped', done: 0 });
  });

  test('a bundle with a charm of Charmhub is refused', async () => {
    await using session = await newModel(controller, 'hub');
    await expect(
      prepared(testOperator<BundleEvent>(), session, 'applications: {kv: {charm: kv}}'),
    ).rejects.toMatchObject({ code: 'not supported' });
  });
});

test('resources of a bundle are uploaded, and again only when they differ', async () => {
  await using session = await newModel(controller, 'with-resources');
  const operator = testOperator<BundleEvent>();
  write('data/one.tgz', 'one');
  const text = (file: string): string =>
    `applications: {f: {charm: ./files, resources: {blob: ${file}, image: some/image:1}}}`;
  const deploy = async (file: string): Promise<readonly string[]> =>
    (await carryOutBundle(operator, await prepared(operator, session, text(file)))).changes;
  expect(await deploy('data/one.tgz')).toEqual([
    `upload charm ${join(folder, 'files')}`,
    `deploy application f on ubuntu@24.04 using ${join(folder, 'files')} with resources blob, image`,
  ]);
  expect(await deploy('./data/one.tgz')).toEqual([]);
  write('data/one.tgz', 'another');
  expect(await deploy('data/one.tgz')).toEqual(['attach resource blob to f']);
  await expect(deploy('./none.tgz')).rejects.toThrow('application "f": file for resource "blob": open ');
  await expect(
    prepared(operator, session, 'applications: {f: {charm: ./files, resources: {other: x}}}'),
  ).rejects.toThrow('application "f": unrecognized resource "other"');
});

test('a bundle with a refresh policy gives its application another charm by a rolling refresh', async () => {
  await using session = await newModel(controller, 'rolled');
  const operator = testOperator<BundleEvent>();
  const text = 'applications: {kv: {charm: ./rolled, num_units: 2, refresh: {max-unavailable: 50%}}}';
  const metadata = 'name: rolled\nsummary: s\ndescription: ';
  write('rolled/metadata.yaml', `${metadata}d\n`);
  write('rolled/hooks/install', '#!/bin/sh\n');
  await carryOutBundle(operator, await prepared(operator, session, text));
  expect((await rolloutOf(session.connection, 'kv')).rollout).toBeUndefined();
  write('rolled/metadata.yaml', `${metadata}another\n`);
  await carryOutBundle(operator, await prepared(operator, session, text));
  expect((await rolloutOf(session.connection, 'kv')).rollout).toMatchObject({
    kind: 'refresh',
    'max-unavailable': '50%',
    'wait-for': 'active',
  });
});
