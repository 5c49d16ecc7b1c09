import { afterEach, expect, test } from 'vitest';
import { testModel } from '../../testing/api-server.ts';
import {
  change,
  createdAt,
  prepareWatchedModel,
  presence,
  store,
  unit,
} from '../../testing/watched-model.ts';
import { allModelWatcher as spec } from '../../wire/facades/watchers.ts';
import { AllModelsWatcher } from './all-models-watcher.ts';

prepareWatchedModel();

let open: AllModelsWatcher[] = [];
afterEach(() => {
  for (const one of open) one.stop();
  open = [];
});

const otherModel = 'f0000000-0000-4000-8000-000000000002';

function watchAll(): AllModelsWatcher {
  const watcher = new AllModelsWatcher({
    store,
    services: { presence, providers: new Map(), version: '3.6.28' },
  });
  open.push(watcher);
  return watcher;
}

/** Deltas of the next answer, in short: kind, what, model, name. */
async function next(watcher: AllModelsWatcher): Promise<string[]> {
  const { deltas } = spec.methods.Next.result.parse(JSON.parse(JSON.stringify(await watcher.next())));
  return deltas.map(([kind, what, body]) =>
    [kind, what, body['model-uuid'] === testModel ? 'test' : 'other', body['name']].filter(Boolean).join(' '),
  );
}

const addModel = (uuid = otherModel): Promise<void> =>
  store.change((tx) => {
    tx.put('model', uuid, { ...tx.get('model', testModel)!, uuid, name: 'other' });
    tx.in(uuid).put('unit', 'y/0', unit('y/0'));
  }, 'test');

test('the first answer has all models, each before what is in it', async () => {
  await change((tx) => tx.put('unit', 'x/0', unit('x/0')));
  await addModel();
  expect(await next(watchAll())).toEqual([
    'model change test test',
    'unit change test x/0',
    'model change other other',
    'unit change other y/0',
  ]);
});

test('a model that is made later is told whole, a removed model is told as removed, and forgotten', async () => {
  const watcher = watchAll();
  await next(watcher);
  await addModel();
  expect(await next(watcher)).toEqual(['model change other other', 'unit change other y/0']);
  await store.change((tx) => {
    tx.in(otherModel).remove('unit', 'y/0');
    tx.remove('model', otherModel);
  }, 'test');
  expect((await next(watcher)).sort()).toEqual(['model remove other', 'unit remove other y/0']);
  await addModel();
  expect(await next(watcher)).toEqual(['model change other other', 'unit change other y/0']);
});

test('a change is told once, however often it was made, and of the model that it is in', async () => {
  await addModel();
  const watcher = watchAll();
  await next(watcher);
  for (const workloadVersion of ['1', '2', '3'])
    await change((tx) => tx.put('unit', 'x/0', unit('x/0', { workloadVersion })));
  expect(await next(watcher)).toEqual(['unit change test x/0']);
});

test('a model with very many changes holds up no other', async () => {
  await addModel();
  const watcher = watchAll();
  await next(watcher);
  await change((tx) => {
    for (let i = 0; i < 4000; i++) tx.put('unit', `x/${i}`, unit(`x/${i}`));
  });
  await store.change((tx) => tx.in(otherModel).put('unit', 'y/1', unit('y/1')), 'test');
  const answers = [await next(watcher), await next(watcher)];
  expect(answers.flat()).toContain('unit change other y/1');
  let rest = 0;
  while (answers.flat().length + rest < 4001) rest += (await next(watcher)).length;
  expect(answers.flat().length + rest).toBe(4001);
});

test('a machine whose agent connects is told of its own model only', async () => {
  await change((tx) =>
    tx.put('machine', '0', {
      id: '0',
      life: 'alive',
      base: { name: 'ubuntu', channel: '24.04/stable' },
      constraints: {},
      addresses: [],
      hostname: '',
      removeWhenEmpty: false,
      clean: false,
      keepInstance: false,
      isController: false,
      createdAt,
    }),
  );
  await addModel();
  const watcher = watchAll();
  await next(watcher);
  const leave = presence.enter(testModel, '0', { superseded: () => undefined, heardAt: () => 0 });
  expect(await next(watcher)).toEqual(['machine change test']);
  leave();
});

test('a pending answer of a stopped watcher fails with the code stopped', async () => {
  const watcher = watchAll();
  await next(watcher);
  const pending = watcher.next();
  watcher.stop();
  await expect(pending).rejects.toMatchObject({ code: 'stopped' });
  await expect(watcher.next()).rejects.toMatchObject({ code: 'stopped' });
});
