import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ModelAbstract } from '../../../wire/facades/watchers.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { setStatus } from '../../transactions/tx.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  await callers.addUser('bob');
});
afterEach(() => callers[Symbol.asyncDispose]());

type Next = () => Promise<readonly ModelAbstract[]>;

async function watch(method: string, as: string): Promise<Next> {
  const { 'watcher-id': id } = await callers.call<{ 'watcher-id': string }>('Controller', method, {}, { as });
  return async () =>
    (
      await callers.call<{ models: readonly ModelAbstract[] }>(
        'ModelSummaryWatcher',
        'Next',
        {},
        { as, id, model: '' },
      )
    ).models;
}
const names = (models: readonly ModelAbstract[]): unknown[] =>
  models.map(({ name, removed }) => removed ?? name);
const rename = (description: string): Promise<void> =>
  callers.change((tx) =>
    tx.put('annotation', `model-${callers.model}`, {
      tag: `model-${callers.model}`,
      values: { description },
    }),
  );

describe('summaries of models', () => {
  test('a summary says what is in the model, whose it is, and how it is', async () => {
    await callers.change((tx) => setStatus(tx, 'workload', 'db/0', 'blocked', 'needs storage'));
    await rename('first');
    const [summary] = (await (await watch('WatchAllModelSummaries', 'admin'))()).filter(
      ({ name }) => name === 'default',
    );
    expect(summary).toEqual({
      uuid: callers.model,
      controller: 'ctrl',
      name: 'default',
      admins: ['admin'],
      cloud: 'home',
      region: 'here',
      size: { applications: 0, machines: 0, containers: 0, units: 0, relations: 0 },
      status: 'yellow',
      messages: [{ agent: 'db/0', message: 'needs storage' }],
      annotations: { description: 'first' },
    });
  });

  test('later answers have only what changed, once', async () => {
    const next = await watch('WatchAllModelSummaries', 'admin');
    expect(names(await next())).toEqual(['controller', 'default']);
    const pending = next();
    // A change that shows in no summary ends no request.
    await callers.change((tx) => setStatus(tx, 'workload', 'db/0', 'active'));
    for (const text of ['a', 'b', 'c']) await rename(text);
    expect(await pending).toMatchObject([{ name: 'default', annotations: { description: 'a' } }]);
    await rename('d');
    await rename('e');
    expect((await next()).map(({ annotations }) => annotations)).toEqual([{ description: 'e' }]);
  });

  test('a user without a model is told so at once, and then of what is shared and what is taken away', async () => {
    const next = await watch('WatchModelSummaries', 'bob');
    expect(await next()).toEqual([]);
    await callers.grant('bob', 'read');
    expect(names(await next())).toEqual(['default']);
    const pending = next();
    await callers.store.change((tx) => tx.remove('access', `bob ${callers.model}`), 'test');
    expect(await pending).toEqual([{ uuid: callers.model, removed: true, size: {} }]);
  });

  test('a superuser who has ceased to be one loses all models', async () => {
    await callers.addUser('carol', 'superuser');
    const next = await watch('WatchAllModelSummaries', 'carol');
    expect(await next()).toHaveLength(2);
    await callers.addUser('carol', 'login');
    expect(names(await next())).toEqual([true, true]);
  });

  test('a user cannot watch the models of others', async () => {
    await expect(watch('WatchAllModelSummaries', 'bob')).rejects.toMatchObject({
      code: 'unauthorized access',
    });
    const next = await watch('WatchModelSummaries', 'bob');
    await next();
    await callers.grant('bob', 'read', callers.controllerModel);
    expect(names(await next())).toEqual(['controller']);
  });

  test('very many models come in pieces', async () => {
    await callers.store.change((tx) => {
      const model = tx.get('model', callers.model)!;
      for (let n = 0; n < 250; n++) tx.put('model', `m${n}`, { ...model, uuid: `m${n}`, name: `m${n}` });
    }, 'test');
    const next = await watch('WatchAllModelSummaries', 'admin');
    const pieces = [await next(), await next(), await next()].map(({ length }) => length);
    expect(pieces).toEqual([100, 100, 52]);
  });
});

describe('entities of all models', () => {
  test('a superuser who has ceased to be one gets no more news', async () => {
    await callers.addUser('carol', 'superuser');
    const { 'watcher-id': id } = await callers.call<{ 'watcher-id': string }>(
      'Controller',
      'WatchAllModels',
      {},
      { as: 'carol' },
    );
    const next = (): Promise<unknown> =>
      callers.call('AllModelWatcher', 'Next', {}, { as: 'carol', id, model: '' });
    expect(await next()).toHaveProperty('deltas');
    const pending = next();
    await callers.addUser('carol', 'login');
    await rename('secret');
    await expect(pending).rejects.toMatchObject({ code: 'unauthorized access' });
  });

  test('a watcher answers only through its own facade', async () => {
    const { 'watcher-id': id } = await callers.call<{ 'watcher-id': string }>('Controller', 'WatchAllModels');
    for (const facade of ['ModelSummaryWatcher', 'NotifyWatcher', 'AllWatcher', 'StringsWatcher'])
      await expect(callers.call(facade, 'Next', {}, { id })).rejects.toMatchObject({ code: 'not found' });
    await callers.call('AllModelWatcher', 'Stop', {}, { id });
    await callers.call('AllModelWatcher', 'Stop', {}, { id });
  });
});

describe('clouds of models', () => {
  const watchClouds = async (): Promise<{ NotifyWatcherId: string; error?: { code: string } }[]> =>
    (
      await callers.call<{ results: { NotifyWatcherId: string; error?: { code: string } }[] }>(
        'Controller',
        'WatchCloudSpecsChanges',
        {
          entities: [
            { tag: `model-${callers.model}` },
            { tag: 'model-00000000-0000-4000-8000-000000000000' },
          ],
        },
      )
    ).results;

  test('a new credential of the model is told, and later changes of that credential', async () => {
    const [watched, missing] = await watchClouds();
    expect(missing).toMatchObject({ NotifyWatcherId: '', error: { code: 'not found' } });
    const next = (): Promise<unknown> =>
      callers.call('NotifyWatcher', 'Next', {}, { id: watched!.NotifyWatcherId, model: '' });
    const credential = { cloud: 'home', owner: 'admin', name: 'key', authType: 'empty', attributes: {} };
    const pending = next();
    await callers.store.change((tx) => {
      tx.put('credential', 'home_admin_key', credential);
      tx.put('model', callers.model, { ...tx.get('model', callers.model)!, credential: 'home_admin_key' });
    }, 'test');
    expect(await pending).toEqual({});
    const second = next();
    await rename('no reason to wake');
    await callers.store.change(
      (tx) => tx.put('credential', 'home_admin_key', { ...credential, revoked: true }),
      'test',
    );
    expect(await second).toEqual({});
    const third = next();
    await callers.store.change(
      (tx) => tx.put('cloud', 'home', { ...tx.get('cloud', 'home')!, endpoint: 'https://x' }),
      'test',
    );
    expect(await third).toEqual({});
  });
});

describe('the dashboard', () => {
  const ask = (): Promise<unknown> =>
    callers.call('Controller', 'DashboardConnectionInfo', {}, { as: 'bob' });

  test('a controller without a dashboard says so', async () => {
    expect(await ask()).toEqual({
      'proxy-connection': null,
      'ssh-connection': null,
      error: { message: 'dashboard not found', code: 'not found' },
    });
  });
});
