import { afterEach, beforeEach, expect, test } from 'vitest';
import { readYaml } from '../../../kit/yaml/read.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { deployLocal } from '../../../testing/deploy-local.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  await callers.addCharm('web', { provides: { db: 'x' } });
  expect(await deployLocal(callers, 'web', { 'num-units': 2 })).not.toHaveProperty('error');
});
afterEach(() => callers[Symbol.asyncDispose]());

type Dump = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

async function dumped(simplified = false): Promise<Dump> {
  const { results } = await callers.call<{ results: { result: string }[] }>('ModelManager', 'DumpModels', {
    entities: [{ tag: `model-${callers.model}` }],
    simplified,
  });
  return readYaml(results[0]!.result)[0] as Dump;
}

async function dumpedDb(): Promise<Dump> {
  const { results } = await callers.call<{ results: { result: Dump }[] }>('ModelManager', 'DumpModelsDB', {
    entities: [{ tag: `model-${callers.model}` }],
  });
  return results[0]!.result;
}

test('a dump has the model and its documents by kind', async () => {
  const dump = await dumped();
  expect(dump).toMatchObject({
    model: { uuid: callers.model, name: 'default' },
    application: [{ name: 'web', charmUrl: 'local:web-0' }],
    unit: [{ name: 'web/0' }, { name: 'web/1' }],
    charm: [{ url: 'local:web-0' }],
  });
});

test('a dump of the database has the same documents in Juju’s collections, with its members', async () => {
  const [dump, db] = [await dumped(), await dumpedDb()];
  expect(db['units']).toHaveLength(dump['unit']!.length);
  expect(db['sequence']).toEqual(dump['sequence']);
  expect(db['models']).toEqual([dump['model']]);
  expect(db).toMatchObject({
    applications: [
      {
        _id: `${callers.model}:web`,
        'model-uuid': callers.model,
        name: 'web',
        life: 0,
        charmurl: 'local:web-0',
        exposed: false,
        unitcount: 2,
        relationcount: 0,
        subordinate: false,
      },
    ],
    units: [
      { _id: `${callers.model}:web/0`, name: 'web/0', machineid: '0', principal: '' },
      { name: 'web/1' },
    ],
    machines: [{ machineid: '0', life: 0 }, { machineid: '1' }],
    charms: [{ url: 'local:web-0' }],
  });
  expect(db['applicationOfferConnections']).toBeUndefined();
});

test('a simplified dump leaves out passing documents, such as sequences', async () => {
  expect(Object.keys(await dumped())).toContain('sequence');
  expect(Object.keys(await dumped(true))).not.toContain('sequence');
});

test('a machine’s password is hidden in a dump', async () => {
  await callers.change((tx) => {
    const machine = tx.get('machine', '0')!;
    tx.put('machine', '0', { ...machine, passwordHash: 'the hash' });
  });
  expect((await dumped())['machine']![0]).toMatchObject({ id: '0', passwordHash: '*****' });
});

test.each(['DumpModels', 'DumpModelsDB'])(
  '%s refuses a user who is no admin of the model',
  async (method) => {
    await callers.addUser('bob');
    await callers.grant('bob', 'write');
    const params = { entities: [{ tag: `model-${callers.model}` }, { tag: 'model-nothing' }] };
    const denied = { error: { code: 'unauthorized access', message: 'permission denied' } };
    const { results } = await callers.call<{ results: object[] }>('ModelManager', method, params, {
      as: 'bob',
    });
    expect(results[0]).toMatchObject(denied);
    expect(results).toHaveLength(2);
  },
);
