/** One controller says where an offering model has gone: what it may change in the consuming model. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { JujuError } from '../../core/errors.ts';
import { createCallers, type Callers } from '../../testing/call.ts';
import { makeTestCa } from '../../testing/test-ca.ts';
import { controllerTag } from '../../wire/tags.ts';
import { consumeOffer } from '../transactions/begin/consume-offer.ts';
import { putTold } from '../transactions/shared/external-controllers.ts';
import { followModel } from './follow-model.ts';
import { leavingDocuments } from './leaving-documents.ts';

const from = '6f1c2b1e-0000-4000-8000-000000000001';
const other = '6f1c2b1e-0000-4000-8000-000000000002';
const left = '6f1c2b1e-0000-4000-8000-00000000000a';
const stays = '6f1c2b1e-0000-4000-8000-00000000000b';

let callers: Callers;
let caCert: string;
beforeEach(async () => {
  callers = await createCallers();
  ({ caCert } = await makeTestCa());
  await consume('db', left, from);
});
afterEach(() => callers[Symbol.asyncDispose]());

const consume = (name: string, model: string, uuid: string): Promise<void> =>
  callers.store.change(
    (tx) =>
      consumeOffer(tx.in(callers.model), {
        name,
        model,
        endpoints: [],
        offerUuid: name,
        url: `far:admin/far.${name}`,
        user: 'admin',
        elsewhere: {
          controller: { uuid, alias: 'far', addresses: ['10.9.9.9:17070'], caCert },
          macaroon: `right to ${name}`,
        },
      }),
    'test',
  );
const follow = (uuid: string, its: string, alias = 'new'): Promise<boolean> => {
  const info = {
    servers: [[{ value: '10.6.6.6', port: 17070 }]],
    'ca-cert': its,
    'controller-tag': controllerTag(uuid),
    'controller-alias': alias,
  };
  const error = new JujuError('redirection required', 'redirection required', { info });
  return followModel(callers.store, { consumer: callers.model, model: left, from }, error);
};
const known = (uuid: string) => callers.view().get('external-controller', uuid);
const saasOf = (name: string) => callers.view().get('remote-application', name)?.saas;
const placeOf = (name: string) => saasOf(name)?.elsewhere;

test('a model is followed to a controller that its consumer does not know yet', async () => {
  const { caCert: its } = await makeTestCa();
  expect(await follow(other, its)).toBe(true);
  expect(placeOf('db')).toEqual({ controller: other, macaroon: 'right to db' });
  expect(known(other)).toEqual({ uuid: other, alias: 'new', addresses: ['10.6.6.6:17070'], caCert: its });
  expect(known(from)).toBeUndefined();
});

test('a name that no controller has is not taken from the controller that a model has left', async () => {
  expect(await follow(other, caCert, 'far:admin/evil.db')).toBe(true);
  expect(known(other)?.alias).toBe('');
  expect(saasOf('db')?.url).toBe('admin/far.db');
});

test('no controller changes the way to another one whose offers the model consumes', async () => {
  await consume('queue', stays, other);
  const before = known(other);
  const { caCert: evil } = await makeTestCa();
  await expect(follow(other, evil)).rejects.toThrow('is known with another CA certificate');
  expect(known(other)).toEqual(before);
  expect(placeOf('db')?.controller).toBe(from);
  await follow(other, caCert);
  expect(known(other)).toEqual(before);
  expect(placeOf('db')?.controller).toBe(other);
});

test('a model is followed to a known controller that has told of a new certificate', async () => {
  await consume('queue', stays, other);
  const { caCert: renewed } = await makeTestCa();
  const told = { addresses: ['10.9.9.9:17070'], caCert: renewed };
  await callers.store.change((tx) => putTold(tx.in(callers.model), other, told), 'test');
  await follow(other, renewed);
  expect(placeOf('db')?.controller).toBe(other);
  expect(known(other)?.told).toEqual(told);
});

test('no controller says how this one is reached where a model of it goes', async () => {
  const { uuid } = callers.store.read().get('controller', 'self')!;
  const { caCert: evil } = await makeTestCa();
  await follow(uuid, evil);
  const leaving = [
    ...leavingDocuments({ store: callers.store, services: callers.context.services }, callers.model),
  ];
  const { addresses, caCert: own } = callers.context.services;
  expect(leaving.filter(({ kind }) => kind === 'external-controller').map(({ doc }) => doc)).toMatchObject([
    { uuid, addresses, caCert: own },
  ]);
});
