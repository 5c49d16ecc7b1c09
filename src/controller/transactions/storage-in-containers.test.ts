/** Tests of what would bring storage of the cloud to a unit in a container (storage.md#operators). */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parsePlacement } from '../../core/placement.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { addRelation } from './begin/add-relation.ts';
import { addUnits } from './begin/add-units.ts';
import { refreshApplication } from './change/refresh-application.ts';

let model: ModelFixture;
beforeEach(async () => void (model = await modelFixture()));
afterEach(() => model[Symbol.asyncDispose]());

const containerTypes = ['lxd'];
const refused = (message: string): unknown =>
  expect.objectContaining({
    code: 'not supported',
    message: `${message} pool "fast", which is attached to machines only`,
  });

const deployMysql = (to: readonly string[]): Promise<void> =>
  model.deploy('mysql', {
    numUnits: 1,
    placement: to.map((one) => parsePlacement(one, model.uuid)),
    containerTypes,
  });
const addUnit = (to: readonly string[]): Promise<unknown> =>
  model.change((tx) =>
    addUnits(tx, {
      application: 'mysql',
      count: 1,
      placement: to.map((one) => parsePlacement(one, tx.space)),
      containerTypes,
    }),
  );
const integrate = (): Promise<unknown> =>
  model.change((tx) => addRelation(tx, { endpoints: ['mysql:juju-info', 'logging'] }));

/** Gives the application's new units this number of storages. */
const wish = (application: string, count: number, detachable = true): Promise<void> =>
  model.change((tx) => {
    const doc = tx.get('application', application)!;
    const data = { pool: 'fast', provider: 'simulated', detachable, size: 1024, count };
    tx.put('application', application, { ...doc, storage: { data } });
  });

test('a subordinate with storage of the cloud is not related to a principal in a container', async () => {
  await deployMysql(['lxd']);
  await model.deploy('logging', { numUnits: 0 });
  await wish('logging', 1);
  await expect(integrate()).rejects.toEqual(
    refused('unit "mysql/0" is in a container, and storage "data" of application "logging" is of'),
  );
  expect(model.view().count('relation', 'application', 'logging')).toBe(0);
});

test.each([
  ['of no storage', 0, true],
  ['that go with the machine', 1, false],
])(
  'a subordinate with directives %s is related to a principal in a container',
  async (_, count, detachable) => {
    await deployMysql(['lxd']);
    await model.deploy('logging', { numUnits: 0 });
    await wish('logging', count, detachable);
    await integrate();
    await addUnit(['lxd']);
  },
);

test('a principal whose subordinate has storage of the cloud gets no unit in a container', async () => {
  await deployMysql([]);
  await model.deploy('logging', { numUnits: 0 });
  await wish('logging', 1);
  await integrate();
  await expect(addUnit(['lxd:0'])).rejects.toEqual(
    refused('unit "mysql/1" cannot be in a container: storage "data" of its subordinate "logging" is of'),
  );
  await addUnit(['0']);
});

test.each(['mysql', 'logging'])(
  'units in containers get no storage of the cloud by a refresh of %s',
  async (name) => {
    await deployMysql(['lxd']);
    await model.deploy('logging', { numUnits: 0 });
    await integrate();
    const { charmUrl } = model.view().get('application', name)!;
    await model.change((tx) => {
      const charm = tx.get('charm', charmUrl)!;
      const storage = { data: { type: 'filesystem' } };
      tx.put('charm', charmUrl, { ...charm, meta: { ...charm.meta, storage } });
    });
    await wish(name, 1);
    await expect(
      model.change((tx) =>
        refreshApplication(tx, {
          application: name,
          charmUrl,
          charmOrigin: {},
          endpointBindings: {},
          config: {},
          force: false,
          forceBase: false,
          forceUnits: false,
        }),
      ),
    ).rejects.toEqual(
      refused(`unit "mysql/0" is in a container, and storage "data" of application "${name}" is of`),
    );
  },
);
