import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../../testing/call.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  await callers.addCharm('db', {
    storage: { data: { type: 'filesystem', 'minimum-size': '2G' }, logs: { type: 'filesystem' } },
  });
  await callers.addCharm('plain');
  for (const name of ['db', 'plain'])
    await callers.call('Application', 'Deploy', {
      applications: [
        {
          application: name,
          'charm-url': `local:${name}-0`,
          'charm-origin': { source: 'local', base: { name: 'ubuntu', channel: '24.04' } },
          'num-units': 0,
        },
      ],
    });
});
afterEach(() => callers[Symbol.asyncDispose]());

const get = async (name: string): Promise<unknown> => {
  const entities = [{ tag: `application-${name}` }];
  return (await callers.call<{ results: unknown[] }>('Application', 'GetApplicationStorage', { entities }))
    .results[0];
};
const update = async (name: string, storage: object): Promise<unknown> => {
  const updates = {
    'storage-updates': [{ 'application-tag': `application-${name}`, 'storage-constraints': storage }],
  };
  return (await callers.call<{ results: unknown[] }>('Application', 'UpdateApplicationStorage', updates))
    .results[0];
};

test('the storage of new units is returned and changed, by name', async () => {
  expect(await get('db')).toMatchObject({
    'storage-constraints': { data: { size: 2048, count: 1 }, logs: { size: 1024, count: 1 } },
    Error: null,
  });
  expect(await update('db', { data: { size: 4096, count: 1 } })).toEqual({});
  expect(await get('db')).toMatchObject({
    'storage-constraints': { data: { size: 4096, count: 1 }, logs: { size: 1024, count: 1 } },
  });
  expect(await get('plain')).toEqual({ 'storage-constraints': {}, Error: null });
});

test.each([
  ['an unknown application', 'none', { data: { size: 4096 } }, 'not found'],
  ['an unknown storage', 'db', { other: { size: 4096 } }, 'not valid'],
  ['a size below the charm’s', 'db', { data: { size: 1024 } }, 'not valid'],
  ['an unknown pool', 'db', { data: { pool: 'nowhere' } }, 'not found'],
])('a change of the storage of new units is refused for %s', async (_, application, storage, code) => {
  expect(await update(application, storage)).toMatchObject({ error: { code } });
});

test('a storage that is asked for without a pool is of the pool that the provider names', async () => {
  const { providers } = callers.context.services;
  const provider = providers.get('test')!;
  const usual = { type: 'string', description: 'Pool', default: 'tmpfs' } as const;
  const config = { ...provider.config, 'storage-default-filesystem-source': usual };
  (providers as Map<string, typeof provider>).set('test', { ...provider, config });
  const deploy = (application: string): Promise<unknown> =>
    callers.call('Application', 'Deploy', {
      applications: [
        {
          application,
          'charm-url': 'local:db-0',
          'charm-origin': { source: 'local', base: { name: 'ubuntu', channel: '24.04' } },
          'num-units': 0,
          storage: { data: { size: 3000 } },
        },
      ],
    });
  await deploy('of-provider');
  await callers.call('ModelConfig', 'ModelSet', {
    config: { 'storage-default-filesystem-source': 'rootfs' },
  });
  await deploy('of-model');
  expect([await get('of-provider'), await get('of-model')]).toMatchObject([
    { 'storage-constraints': { data: { pool: 'tmpfs' }, logs: { pool: 'rootfs' } } },
    { 'storage-constraints': { data: { pool: 'rootfs' } } },
  ]);
});

test('an unknown application has no storage to return', async () => {
  expect(await get('none')).toMatchObject({ 'storage-constraints': null, Error: { code: 'not found' } });
});

test('only version 22 has storage of applications', async () => {
  await expect(
    callers.call('Application', 'GetApplicationStorage', { entities: [] }, { version: 21 }),
  ).rejects.toMatchObject({ code: 'not implemented' });
});
