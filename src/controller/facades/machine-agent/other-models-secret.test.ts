/** Secrets over an offer of another model of this controller, as the agents of both sides ask for them. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { offeredRelation, overModels, type SecretsOverOffers } from '../../../testing/secrets-over-offers.ts';
import { related, settleBoth, twoModels, type TwoModels } from '../../../testing/two-models.ts';
import { addUnits } from '../../transactions/begin/add-units.ts';
import { destroyUnit } from '../../transactions/end/destroy-unit.ts';
import { SecretRemover } from '../../workers/secret-remover.ts';

let world: TwoModels;
let secrets: SecretsOverOffers;
/** wordpress/0 and mysql/0, which lead, are related over the offer `db`. */
beforeEach(async () => {
  world = await twoModels();
  await related(world);
  secrets = await overModels(world);
});
afterEach(() => world[Symbol.asyncDispose]());

const denied = { code: 'unauthorized access', message: 'permission denied' };
const readers = (id: string): string[] =>
  [...world.offering.view().find('secret-consumer', 'secret', id)].map(({ unit }) => unit.split('/')[1]!);

test('a secret is read from its grant on until it is revoked', async () => {
  const { add, read, own, grantOf } = secrets;
  const id = await add('one', false);
  await expect(read({ id })).rejects.toMatchObject(denied);
  await own({ grant: [grantOf(id)] });
  expect(await read({ id })).toBe('one 1');
  await own({ revoke: [grantOf(id)] });
  await expect(read({ id })).rejects.toMatchObject(denied);
  await expect(read({ id, refresh: true })).rejects.toMatchObject(denied);
  await own({ remove: [{ id }] });
  await expect(read({ id })).rejects.toMatchObject({
    code: 'not found',
    message: `secret "${id}" not found`,
  });
});

test('a unit tracks a revision, which the owner keeps, until it refreshes', async () => {
  const { add, read, update, revisions, due, tell } = secrets;
  const id = await add('one');
  expect(await read({ id, label: 'pw' })).toBe('one 1');
  await update(id, 'two');
  await world.carry();
  expect(due(id)).toBe(2);
  expect(revisions(id)).toEqual(['1', '2']);
  expect(await read({ label: 'pw' })).toBe('one 1');
  expect(await read({ label: 'pw', peek: true })).toBe('two 2');
  await tell(id, 2);
  expect(due(id)).toBeUndefined();
  expect(revisions(id)).toEqual(['1', '2']);
  expect(await read({ label: 'pw', refresh: true })).toBe('two 2');
  expect(revisions(id)).toEqual(['1 obsolete', '2']);
  await update(id, 'three');
  await world.carry();
  expect(due(id)).toBe(3);
});

test('a peek alone makes no unit track a secret', async () => {
  const { add, read, update, revisions, due } = secrets;
  const id = await add('one');
  expect(await read({ id, peek: true })).toBe('one 1');
  await update(id, 'two');
  await world.carry();
  expect(revisions(id)).toEqual(['1 obsolete', '2']);
  expect(due(id)).toBeUndefined();
});

test('a revision that came while a unit read is told to it, also after the controller was killed', async () => {
  const { add, read, update, due } = secrets;
  const id = await add('one');
  await read({ id });
  await world.restart();
  await update(id, 'two');
  await world.carry();
  expect(due(id)).toBe(2);
});

test('each unit tracks for itself, and a unit that goes is forgotten by the owner', async () => {
  const { add, read, update, revisions } = secrets;
  await world.consuming.change((tx) => addUnits(tx, { application: 'wordpress', count: 1, placement: [] }));
  await settleBoth(world);
  const id = await add('one');
  await read({ id }, 'wordpress/0');
  await read({ id }, 'wordpress/1');
  await update(id, 'two');
  await read({ id, refresh: true }, 'wordpress/0');
  expect(revisions(id)).toEqual(['1', '2']);
  expect(readers(id).sort()).toEqual(['0', '1']);
  await world.consuming.change((tx) => destroyUnit(tx, { unit: 'wordpress/1' }));
  await settleBoth(world);
  expect(readers(id)).toEqual(['0']);
  expect(revisions(id)).toEqual(['1 obsolete', '2']);
  expect(world.consuming.view().count('secret-consumer', 'unit', 'wordpress/1')).toBe(0);
});

test('the grant ends with the relation, and both sides forget who reads', async () => {
  const { add, read } = secrets;
  const id = await add('one');
  await read({ id, label: 'pw' });
  await world.call('Application', 'DestroyRelation', { endpoints: ['wordpress:db', 'db'] });
  await settleBoth(world);
  expect(world.offering.view().count('secret-grant')).toBe(0);
  expect(world.offering.view().count('secret-consumer')).toBe(0);
  expect(world.consuming.view().count('secret-consumer')).toBe(0);
  const gone = { code: 'not found', message: `secret "secret://${world.offering.uuid}/${id}" not found` };
  await expect(read({ id })).rejects.toMatchObject(gone);
  await expect(read({ label: 'pw' })).rejects.toMatchObject({ message: 'consumer label "pw" not found' });
});

test('a suspended relation gives no access; afterwards the unit reads what it tracked', async () => {
  const { add, read, update } = secrets;
  const id = await add('one');
  await read({ id });
  await update(id, 'two');
  const suspend = (suspended: boolean) =>
    world.callers.call('Application', 'SetRelationsSuspended', {
      args: [{ 'relation-id': offeredRelation(world.offering).id, suspended, message: '' }],
    });
  await suspend(true);
  await expect(read({ id })).rejects.toMatchObject(denied);
  await suspend(false);
  await settleBoth(world);
  expect(await read({ id })).toBe('one 1');
});

test('grants that only Juju’s offering side may make are refused to the consuming side, and to single units', async () => {
  const { other, own, grantOf, add } = secrets;
  const id = await add('one', false);
  const { subject, relation } = grantOf(id);
  const unit = { kind: 'unit', id: `${subject.id}/0` } as const;
  await expect(own({ grant: [{ id, subject: unit, relation }] })).rejects.toMatchObject({
    code: 'not supported',
    message: 'sharing a secret with one unit of another model not supported',
  });
  const [consumed] = world.consuming.view().find('relation', 'remote', 'consumed');
  const own2 = 'cffr2mr0ui3e8a215n40';
  await expect(
    other({
      create: [{ id: own2, owner: 'application', content: { password: 'eA==' } }],
      grant: [{ id: own2, subject: { kind: 'application', id: 'db' }, relation: consumed!.id }],
    }),
  ).rejects.toMatchObject({
    code: 'not supported',
    message: 'sharing consumer secrets across a cross model relation not supported',
  });
});

test('a label that a unit gives to another model’s secret is for that secret only', async () => {
  const { add, read, other } = secrets;
  const [one, two] = [await add('one'), await add('two')];
  await read({ id: one, label: 'pw' });
  const taken = { code: 'already exists', message: 'secret with label "pw" already exists' };
  await expect(read({ id: two, label: 'pw' })).rejects.toMatchObject(taken);
  const own = { id: 'cffr2mr0ui3e8a215n40', content: { password: 'eA==' }, label: 'pw' };
  await expect(other({ create: [{ ...own, owner: 'application' }] })).rejects.toMatchObject(taken);
});

test('the secret remover leaves what units of other models read', async () => {
  const { add, read, update, revisions } = secrets;
  const id = await add('one');
  await read({ id });
  await update(id, 'two');
  const { store, services } = { store: world.callers.store, services: world.callers.context.services };
  for (const { uuid } of [world.offering, world.consuming]) {
    const remover = new SecretRemover({ store, services, modelUuid: uuid, wake: () => undefined });
    await remover.pass(new AbortController().signal);
    remover.stop();
  }
  expect(revisions(id)).toEqual(['1', '2']);
  expect(await read({ id })).toBe('one 1');
  expect(world.consuming.view().count('secret-consumer')).toBe(1);
});
