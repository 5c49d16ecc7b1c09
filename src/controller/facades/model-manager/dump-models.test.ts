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

test('a dump has the model and its documents by kind; the text and the documents say the same', async () => {
  const dump = await dumped();
  expect(dump).toMatchObject({
    model: { uuid: callers.model, name: 'default' },
    application: [{ name: 'web', charmUrl: 'local:web-0' }],
    unit: [{ name: 'web/0' }, { name: 'web/1' }],
    charm: [{ url: 'local:web-0' }],
  });
  const { results } = await callers.call<{ results: { result: Dump }[] }>('ModelManager', 'DumpModelsDB', {
    entities: [{ tag: `model-${callers.model}` }],
  });
  const { model, ...documents } = results[0]!.result;
  expect({ ...documents, model: model![0] }).toEqual(dump);
});

test('a simplified dump leaves out what passes', async () => {
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

test.each(['DumpModels', 'DumpModelsDB'])('%s refuses who is no admin of the model', async (method) => {
  await callers.addUser('bob');
  await callers.grant('bob', 'write');
  const params = { entities: [{ tag: `model-${callers.model}` }, { tag: 'model-nothing' }] };
  const denied = { error: { code: 'unauthorized access', message: 'permission denied' } };
  const { results } = await callers.call<{ results: object[] }>('ModelManager', method, params, {
    as: 'bob',
  });
  expect(results[0]).toMatchObject(denied);
  expect(results).toHaveLength(2);
});
