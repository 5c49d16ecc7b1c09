/** Tests of the rules about the ends of relations (lives.md#relation-end, relations.md#scope-leave). */
import { expect, test } from 'vitest';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { relate, settle } from '../../testing/steps.ts';
import { destroyApplication } from './end/destroy-application.ts';
import { destroyRelation } from './end/destroy-relation.ts';
import { destroyUnit } from './end/destroy-unit.ts';
import { enterScope } from './agent/enter-scope.ts';
import { leaveScope } from './end/leave-scope.ts';
import { defined } from '../../core/defined.ts';

async function twoRelated(model: ModelFixture): Promise<string> {
  await model.deploy('mysql');
  await model.deploy('wordpress');
  return relate(model, 'wordpress', 'mysql');
}

test('a relation is unique by its canonical name', async () => {
  await using model = await modelFixture();
  const id = await twoRelated(model);
  expect(model.view().get('relation', id)?.key).toBe('wordpress:db mysql:server');
  await expect(relate(model, 'mysql:server', 'wordpress:db')).rejects.toMatchObject({
    code: 'already exists',
  });
  await settle(model, 'mysql/0');
  await model.change((tx) => destroyRelation(tx, { id: Number(id) }));
  await expect(relate(model, 'wordpress', 'mysql'), 'as long as it is there').rejects.toThrow();
  await model.change((tx) => leaveScope(tx, { unit: 'mysql/0', relation: id }));
  expect(Number(await relate(model, 'wordpress', 'mysql'))).toBeGreaterThan(Number(id));
});

test('scopes are entered only while the relation is alive', async () => {
  await using model = await modelFixture();
  const id = await twoRelated(model);
  await settle(model, 'mysql/0');
  await model.change((tx) => destroyRelation(tx, { id: Number(id) }));
  const enter = (unit: string, relation: string): Promise<unknown> =>
    model.change((tx) => enterScope(tx, { unit, relation }));
  await expect(enter('wordpress/0', id)).rejects.toMatchObject({ code: 'cannot enter scope' });
  await expect(enter('wordpress/0', '99'), 'gone').rejects.toMatchObject({ code: 'cannot enter scope' });

  const peers = String([...model.view().list('relation')].find((one) => one.key === 'mysql:cluster')!.id);
  await model.change((tx) => {
    leaveScope(tx, { unit: 'mysql/0', relation: peers });
    destroyUnit(tx, { unit: 'mysql/0' });
  });
  await expect(enter('mysql/0', peers), 'a dying unit').rejects.toMatchObject({ code: 'cannot enter scope' });
});

test('a relation with an empty scope is removed at once', async () => {
  await using model = await modelFixture();
  const id = await twoRelated(model);
  await model.change((tx) => destroyRelation(tx, { endpoints: ['wordpress', 'mysql'] }));
  expect(model.view().get('relation', id)).toBeUndefined();
});

test('the last unit to leave a dying relation removes it', async () => {
  await using model = await modelFixture();
  const id = await twoRelated(model);
  await settle(model, 'mysql/0', 'wordpress/0');
  await model.change((tx) => destroyRelation(tx, { id: Number(id) }));
  await model.change((tx) => leaveScope(tx, { unit: 'wordpress/0', relation: id }));
  expect(model.view().get('relation', id)).toMatchObject({
    life: 'dying',
    dyingSince: '2026-01-01T00:00:00.000Z',
  });
  expect(model.view().get('settings', `${id}#wordpress/0`), 'what it said can still be read').toBeDefined();
  await model.change((tx) => leaveScope(tx, { unit: 'mysql/0', relation: id }));
  expect(model.view().get('relation', id)).toBeUndefined();
  expect(model.view().count('settings', 'relation', id)).toBe(0);
  expect(model.view().get('status', `relation:${id}`)).toBeUndefined();
});

test('the last unit to leave a dying relation removes a dying application that nothing else refers to', async () => {
  await using model = await modelFixture();
  const id = await twoRelated(model);
  await settle(model, 'wordpress/0');
  await model.change((tx) => {
    destroyApplication(tx, { application: 'mysql' });
    destroyUnit(tx, { unit: 'mysql/0' });
  });
  expect(model.view().get('application', 'mysql')?.life).toBe('dying');
  await model.change((tx) => leaveScope(tx, { unit: 'wordpress/0', relation: id }));
  expect(model.view().get('application', 'mysql')).toBeUndefined();
  expect(model.view().get('application', 'wordpress')?.life).toBe('alive');
});

test('the last unit to leave an alive relation leaves it unchanged', async () => {
  await using model = await modelFixture();
  const id = await twoRelated(model);
  await settle(model, 'mysql/0');
  await model.change((tx) => leaveScope(tx, { unit: 'mysql/0', relation: id }));
  expect(model.view().get('relation', id)?.life).toBe('alive');
});

test('peer relations go with their application only', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql');
  const { id } = [...model.view().list('relation')][0]!;
  for (const force of [undefined, { maxWaitMs: 0, by: 'x' }])
    await expect(model.change((tx) => destroyRelation(tx, { id, ...defined({ force }) }))).rejects.toThrow(
      'is a peer relation',
    );
  await model.change((tx) => {
    destroyUnit(tx, { unit: 'mysql/0' });
    destroyApplication(tx, { application: 'mysql' });
  });
  expect(model.view().count('relation')).toBe(0);
});
