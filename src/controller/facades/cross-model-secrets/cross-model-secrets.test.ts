/** Tests of what another controller may ask about secrets, with which macaroons. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { trackForOther } from '../../transactions/remote/other-models-readings.ts';
import { limits } from '../../../core/limits.ts';
import {
  consumer,
  denied,
  dischargeRequired,
  modify,
  type Consumer,
  type Item,
} from '../../../testing/consuming-controller.ts';
import { base64, overModels, type SecretsOverOffers } from '../../../testing/secrets-over-offers.ts';
import { twoModels, type TwoModels } from '../../../testing/two-models.ts';

let world: TwoModels;
let bob: Consumer;
let secrets: SecretsOverOffers;
/** Macaroons of the offer, which allow to make relations. */
let ofOffer: unknown;
/** A secret of mysql that is granted to bob's application. */
let id: string;
beforeEach(async () => {
  world = await twoModels();
  bob = await consumer(world);
  ofOffer = bob.macaroons;
  await bob.register();
  secrets = await overModels(world);
  id = await secrets.add('one');
});
afterEach(() => world[Symbol.asyncDispose]());

async function ask(method: string, item: Record<string, unknown> = {}, as = bob): Promise<Item> {
  const common = { uri: `secret:${id}`, 'application-token': as.application, 'unit-id': 0 };
  const proof = { macaroons: as.macaroons, 'bakery-version': 3 };
  const { results } = await as.raw<{ results: Item[] }>('CrossModelSecrets', method, {
    args: [{ ...common, ...proof, ...item }],
  });
  return results[0]!;
}
const read = (item: Record<string, unknown> = {}, as = bob): Promise<Item> =>
  ask('GetSecretContentInfo', { refresh: true, ...item }, as);

const content = (password: string, latest: number) => ({
  content: { data: { password: base64(password) } },
  'latest-revision': latest,
});

test('a scope is the relation by which the secret is read', async () => {
  expect(await ask('GetSecretAccessScope')).toEqual({ result: bob.relation });
  const uri = `secret://${world.offering.uuid}/${id}`;
  expect(await ask('GetSecretAccessScope', { uri })).toEqual({ result: bob.relation });
  expect(await ask('GetSecretAccessScope', { 'application-token': randomUUID() })).toMatchObject(denied);
});

test('the revision that a unit says it tracks is the one that its owner keeps', async () => {
  expect(await read()).toEqual(content('one', 1));
  await secrets.update(id, 'two');
  expect(await read({ refresh: false, revision: 1 })).toEqual(content('one', 2));
  expect(await read({ refresh: false, peek: true })).toEqual(content('two', 2));
  expect(secrets.revisions(id)).toEqual(['1', '2']);
  expect(await read()).toEqual(content('two', 2));
  expect(secrets.revisions(id)).toEqual(['1 obsolete', '2']);
  // The reader's model has not received the last answer.
  expect(await read({ refresh: false, revision: 1 })).toEqual(content('one', 2));
  expect(secrets.revisions(id)).toEqual(['1', '2']);
  await secrets.own({ remove: [{ id, revision: 1 }] });
  expect(await read({ refresh: false, revision: 1 })).toMatchObject({ error: { code: 'not found' } });
});

test('the readings of units of another model are limited, as whoever names enough units would fill the model', async () => {
  const { store } = world.callers;
  await store.change((tx) => {
    const root = tx.in('');
    const controller = root.get('controller', 'self')!;
    root.put('controller', 'self', { ...controller, config: { 'max-model-size': 1_000_000 } });
  }, 'test');
  const max = 125_000;
  await world.offering.change((tx) => {
    for (let unit = 1; unit <= 180; unit++)
      trackForOther(tx, { id, applicationToken: bob.application, unit, peek: false, refresh: true });
  });
  const of = { kind: 'secret-consumer', index: 'toldBy', value: 'all' } as const;
  const one = Math.ceil(store.held(world.offering.uuid, of) / 180);
  let unit = 1_000;
  while (store.held(world.offering.uuid, of) + 2 * one <= max)
    expect(await read({ 'unit-id': unit++ })).toEqual(content('one', 1));
  await read({ 'unit-id': unit++ });
  expect(await read({ 'unit-id': unit })).toMatchObject({
    error: {
      code: 'quota limit exceeded',
      message: expect.stringContaining(`bytes exceed the limit of ${max}`) as string,
    },
  });
  expect(await read({ 'unit-id': 1 })).toEqual(content('one', 1));
});

test.each([
  ['a URI', { uri: 'secret:x' }, 'secret URI "secret:x" not valid'],
  [
    'a URI of another model',
    { uri: 'secret://11111111-4c39-4b7e-8a4e-7a3c62c3b0d1/cffr2mr0ui3e8a215n40' },
    'secret URI of another model not valid',
  ],
  ['a reading', { refresh: false }, 'empty secret revision not valid'],
  ['a unit', { 'unit-id': -1 }, 'unit -1 not valid'],
  [
    'a large number of a unit',
    { 'unit-id': limits.remoteUnitNumber.max + 1 },
    `exceed the limit of ${limits.remoteUnitNumber.max}`,
  ],
])('a reading with an invalid value is refused: %s', async (_what, item, message) => {
  expect((await read(item)).error?.message).toContain(message);
});

test('macaroons of the offer, of nobody, and of another’s relation give no content', async () => {
  expect(await read({ macaroons: [] })).toMatchObject({ error: {} });
  expect(await read({ macaroons: ofOffer })).toMatchObject(denied);
  const other = await twoModels();
  await using _ended = other;
  const alice = await consumer(other);
  await alice.register();
  expect(await read({ macaroons: alice.macaroons })).toMatchObject(denied);
  expect(await read()).toEqual(content('one', 1));
});

test('a macaroon is discharged anew, but not for a user who may not consume any more', async () => {
  world.callers.advance(200_000);
  const asked = await read();
  expect(asked).toMatchObject(dischargeRequired);
  bob.discharge(asked);
  expect(await read()).toEqual(content('one', 1));
  await modify(world, 'revoke');
  expect(await read()).toMatchObject(denied);
});

test('a watcher tells all secrets that are read at first, and then those with new revisions', async () => {
  const two = await secrets.add('other');
  await read();
  const item = { 'relation-token': bob.relation, 'application-token': bob.application };
  const watched = await bob.call('WatchConsumedSecretsChanges', item);
  const uri = (of: string): string => `secret://${world.offering.uuid}/${of}`;
  expect(watched.changes).toEqual([{ uri: uri(id), revision: 1 }]);
  const next = async () => (await bob.next('SecretsRevisionWatcher', watched)).changes;
  await secrets.update(id, 'two');
  expect(await next()).toEqual([{ uri: uri(id), revision: 2 }]);
  await read({ uri: `secret:${two}` });
  expect(await next()).toEqual([{ uri: uri(two), revision: 1 }]);
});
