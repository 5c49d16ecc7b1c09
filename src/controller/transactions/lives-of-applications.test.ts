/** Tests of the rules about the ends of applications and models (lives.md#application-end, lives.md#model-end). */
import { offerDoc, useOf } from '../../testing/offers.ts';
import { describe, expect, test } from 'vitest';
import { cleanerOf } from '../../testing/cleaner.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { end, relate, settle } from '../../testing/steps.ts';
import { addMachine } from './begin/add-machine.ts';
import { addUnits } from './begin/add-units.ts';
import { destroyApplication } from './end/destroy-application.ts';
import { destroyModel } from './end/destroy-model.ts';
import { destroyUnit } from './end/destroy-unit.ts';
import { leaveScope } from './end/leave-scope.ts';
import { documentsOf, removeModel } from './end/remove-model.ts';
import { defined } from '../../core/defined.ts';

const base = { name: 'ubuntu', channel: '24.04/stable' };

function destroy(model: ModelFixture, application: string): Promise<unknown> {
  return model.change((tx) => destroyApplication(tx, { application }));
}

test('an application is deployed whole, or not at all', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql');
  expect([...model.view().list('relation')].map((relation) => relation.key)).toEqual(['mysql:cluster']);
  const before = model.store.read().revision;
  await expect(model.deploy('mysql')).rejects.toThrow('application already exists');
  await expect(model.deploy('mysql', { name: 'other', charmUrl: 'local:none-0' })).rejects.toThrow(
    'charm "local:none-0" not found',
  );
  await expect(
    model.deploy('mysql', { name: 'other', placement: [{ scope: '#', directive: '9' }] }),
  ).rejects.toThrow('machine 9 not found');
  await expect(model.deploy('mysql', { name: 'Wrong Name' })).rejects.toThrow(
    'invalid application name "Wrong Name"',
  );
  expect(model.store.read().revision).toBe(before);
});

test('`remove-application` makes units dying and relations dying or removed', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql');
  await model.deploy('wordpress');
  await model.deploy('wordpress', { name: 'blog' });
  const relation = await relate(model, 'wordpress', 'mysql');
  const empty = await relate(model, 'blog', 'mysql');
  await settle(model, 'wordpress/0');
  await model.change((tx) => leaveScope(tx, { unit: 'wordpress/0', relation: empty }));
  await settle(model, 'mysql/0');
  await model.change((tx) => leaveScope(tx, { unit: 'mysql/0', relation: empty }));
  await destroy(model, 'mysql');
  await cleanerOf(model)();
  const view = model.view();
  expect(view.get('application', 'mysql')).toMatchObject({
    life: 'dying',
    dyingSince: '2026-01-01T00:00:00.000Z',
  });
  expect(view.get('unit', 'mysql/0')?.life).toBe('dying');
  expect(view.get('relation', relation)?.life).toBe('dying');
  expect(view.get('relation', empty)).toBeUndefined();
  await expect(
    model.change((tx) => addUnits(tx, { application: 'mysql', count: 1, placement: [] })),
  ).rejects.toThrow('not alive');
  await expect(relate(model, 'blog', 'mysql')).rejects.toThrow();
});

test('an application without units is removed at once when all its relations can go', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql', { numUnits: 0 });
  await model.deploy('wordpress');
  await relate(model, 'wordpress', 'mysql');
  await destroy(model, 'mysql');
  expect(model.view().get('application', 'mysql')).toBeUndefined();
  expect(model.view().count('relation')).toBe(0);
  expect(model.view().get('charm', 'local:mysql-0')).toBeUndefined();
});

test('a dying application is removed with its last unit', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql', { numUnits: 2 });
  await settle(model, 'mysql/0', 'mysql/1');
  await destroy(model, 'mysql');
  await cleanerOf(model)();
  await end(model, 'mysql/0');
  expect(model.view().get('application', 'mysql')?.life).toBe('dying');
  await end(model, 'mysql/1');
  expect(model.view().get('application', 'mysql')).toBeUndefined();
});

test('a dying application is removed by the unit, possibly of another application, that last leaves its last relation', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql');
  await model.deploy('wordpress');
  const relation = await relate(model, 'wordpress', 'mysql');
  await settle(model, 'mysql/0', 'wordpress/0');
  await destroy(model, 'mysql');
  await cleanerOf(model)();
  await end(model, 'mysql/0');
  expect(model.view().get('application', 'mysql')?.life).toBe('dying');
  await model.change((tx) => leaveScope(tx, { unit: 'wordpress/0', relation }));
  expect(model.view().get('application', 'mysql')).toBeUndefined();
  expect(model.view().get('charm', 'local:mysql-0')).toBeUndefined();
  expect(model.view().count('relation')).toBe(0);
});

test('an application that is used through an offer stays, also with force', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql', { numUnits: 0 });
  const offer = offerDoc('db', 'mysql');
  const { relation } = useOf(offer, 7);
  await model.change((tx) => {
    tx.put('offer', 'db', offer);
    tx.put('relation', '7', relation);
  });
  for (const force of [undefined, { maxWaitMs: 0, by: 'x' }])
    await expect(
      model.change((tx) => destroyApplication(tx, { application: 'mysql', ...defined({ force }) })),
    ).rejects.toThrow('application is used by 1 offer');
  expect(model.view().get('application', 'mysql')?.life).toBe('alive');

  await model.change((tx) => tx.remove('relation', '7'));
  await destroy(model, 'mysql');
  expect(model.view().count('application')).toBe(0);
  expect(model.view().count('offer')).toBe(0);
});

test('an application with very many databags is dead until the cleaner has removed them in batches', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql');
  const { id } = [...model.view().list('relation')][0]!;
  await model.change((tx) => {
    for (let n = 0; n < 450; n++)
      tx.put('settings', `${id}#mysql/${n}`, {
        relation: String(id),
        owner: `mysql/${n}`,
        values: {},
        version: 1,
      });
    destroyUnit(tx, { unit: 'mysql/0' });
    destroyApplication(tx, { application: 'mysql' });
  });
  expect(model.view().get('application', 'mysql')?.life).toBe('dead');
  expect(model.view().get('relation', String(id))?.life).toBe('dead');
  await expect(model.deploy('mysql')).rejects.toThrow('application is being removed');
  const sizes: number[] = [];
  const stop = model.store.watch(({ changes }) => void sizes.push(changes.length));
  await cleanerOf(model)();
  stop();
  expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
  for (const kind of ['application', 'relation', 'settings'] as const)
    expect(model.view().count(kind), kind).toBe(0);
});

describe('the ends of models', () => {
  const dying = (model: ModelFixture): Promise<unknown> =>
    model.store.change((tx) => destroyModel(tx, { uuid: model.uuid }), 'test');

  test('nothing is added to a dying model', async () => {
    await using model = await modelFixture();
    await model.deploy('mysql');
    await model.deploy('wordpress');
    await dying(model);
    const message = 'model "default" is no longer alive';
    await expect(model.deploy('mysql', { name: 'other' })).rejects.toThrow(message);
    await expect(
      model.change((tx) => addUnits(tx, { application: 'mysql', count: 1, placement: [] })),
    ).rejects.toThrow(message);
    await expect(
      model.change((tx) => addMachine(tx, { base, constraints: {}, removeWhenEmpty: false })),
    ).rejects.toThrow(message);
    await expect(relate(model, 'wordpress', 'mysql')).rejects.toThrow(message);
  });

  test('the model record is removed last, and nothing of it is left', async () => {
    await using model = await modelFixture();
    await model.deploy('mysql');
    await dying(model);
    const remove = (): Promise<unknown> => model.store.change((tx) => removeModel(tx, model.uuid), 'test');
    await expect(remove()).rejects.toMatchObject({ code: 'model not empty' });
    await model.change((tx) => {
      destroyUnit(tx, { unit: 'mysql/0' });
      destroyApplication(tx, { application: 'mysql' });
      tx.put('offer', 'o', offerDoc('o', ''));
    });
    await remove();
    expect(model.view().in('').get('model', model.uuid)).toBeUndefined();
    expect(documentsOf(model.view())).toEqual([]);
    expect([...model.store.read().spaces()]).not.toContain(model.uuid);
  });
});
