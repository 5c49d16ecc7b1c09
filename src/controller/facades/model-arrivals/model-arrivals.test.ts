import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { credentialId } from '../../../core/credential/document.ts';
import { limits } from '../../../core/limits.ts';
import type { Phase } from '../../../core/migration/phases.ts';
import { removeModel } from '../../transactions/end/remove-model.ts';
import { checkArrival } from '../../transactions/remote/arrivals.ts';
import { testController, type TestController } from '../../../testing/controller.ts';

const model = '1c3bd8b6-6b30-4a3a-8a9b-8e2a5f6a7b09';
const of = { model, migration: `${model}:0` };
const record = {
  uuid: model,
  name: 'arriving',
  owner: 'admin',
  life: 'alive',
  cloud: 'test',
  region: 'default',
  credential: '',
  config: {},
  constraints: {},
  createdAt: '2026-01-01T00:00:00.000Z',
};
const described = {
  ...of,
  from: 'other',
  'cloud-type': 'simulated',
  version: '3.6.28',
  ticket: '',
  machines: 0,
  record,
  access: [{ user: 'admin', model, access: 'admin' }],
};
const goneHost = {
  model,
  machine: '7',
  instanceId: 'manual:10.0.0.8',
  gone: { at: '2026-01-01T00:00:00.000Z', nonce: 'manual:10.0.0.8:1', passwordHash: 'x' },
};

let controller: TestController;
let admin: Awaited<ReturnType<TestController['connect']>>;
beforeAll(async () => {
  controller = await testController();
  admin = await controller.connect();
});
afterAll(async () => {
  await admin.close();
  await controller[Symbol.asyncDispose]();
});

const call = (method: string, params: object): Promise<unknown> =>
  admin.call('ModelArrivals', method, params);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const lines = (...docs: { kind: string; id: string; doc: unknown }[]) => ({
  ...of,
  offset: 0,
  data: base64(docs.map((doc) => JSON.stringify(doc)).join('\n')),
  last: true,
});
const space = { kind: 'annotation', id: 'model', doc: { tag: 'model', values: { a: 'b' } } };
const has = (kind: 'arrival' | 'model'): boolean =>
  controller.running().store.read().get(kind, model) !== undefined;

test.each<[string, object, string]>([
  ['a cloud that is not here', { record: { ...record, cloud: 'far' } }, 'cloud "far" is not known'],
  ['a cloud of another type', { 'cloud-type': 'lxd' }, 'cloud "test" is of type simulated'],
  ['a region that is not here', { record: { ...record, region: 'x' } }, 'has no region "x"'],
  [
    'users who are not here',
    { access: [...described.access, { user: 'bob', model, access: 'read' }] },
    'the target controller does not have the users of the model: bob',
  ],
  ['a name that is taken', { record: { ...record, name: 'controller' } }, 'model named "controller" already'],
  ['a newer controller', { version: '3.7.0' }, 'model has higher version than target controller'],
  ['a record of another model', { record: { ...record, uuid: crypto.randomUUID() } }, 'of another model'],
  ['a record that is none', { record: {} }, 'the record does not fit'],
  [
    'a host of a removed machine of another model',
    { 'gone-hosts': [{ ...goneHost, model: 'x' }] },
    'a host was a machine of another model',
  ],
  [
    'a host of a removed machine without a proof for its agent',
    { 'gone-hosts': [{ ...goneHost, gone: {} }] },
    'the record does not fit: look at gone.at, gone.nonce, gone.passwordHash',
  ],
  ['access to another model', { access: [{ user: 'admin', model: 'x', access: 'admin' }] }, 'another model'],
  [
    'access to offers of users who are not here',
    { 'offer-access': [{ user: 'bob', offer: 'o', model, access: 'consume' }] },
    'the target controller does not have the users of the model: bob',
  ],
  [
    'access to offers of another model',
    { 'offer-access': [{ user: 'admin', offer: 'o', model: 'x', access: 'read' }] },
    'another model',
  ],
  [
    'relations of a user who may not consume the offer here',
    { consumers: [{ user: 'bob', offer: 'o', name: 'db' }] },
    'user bob has relations by offer db, which the user may not consume in the target controller',
  ],
  [
    'a user of another domain with too little access to an offer',
    {
      consumers: [{ user: 'x@far', offer: 'o', name: 'db' }],
      'offer-access': [
        { user: 'x@far', offer: 'o', model, access: 'read' },
        { user: 'x@far', offer: 'p', model, access: 'admin' },
      ],
    },
    'user x@far has relations by offer db',
  ],
  ...['x', 'sealed:1:AAAA', { 'grigri:sealed': 'eA==' }].map((key): [string, object, string] => [
    `a key of consents ${JSON.stringify(key)}`,
    { record: { ...record, consents: { key, since: {} } } },
    'the key of consents to offers is none',
  ]),
  [
    'a ticket that is too long',
    { ticket: 'x'.repeat(limits.migrationTicket.max + 1) },
    `${limits.migrationTicket.max + 1} characters exceed the limit`,
  ],
])('%s is refused, by the checks and at the beginning', async (_, change, message) => {
  await expect(call('Prechecks', { ...described, ...change })).rejects.toThrow(message);
  await expect(call('Import', { ...described, ...change })).rejects.toThrow(message);
  expect(has('arrival')).toBe(false);
});

test('a model with a host that is a machine of this controller is refused, by the checks and at the beginning', async () => {
  const { store } = controller.running();
  const doc = { model: controller.controllerModel, machine: '7', instanceId: 'manual:10.0.0.7' };
  await store.change((tx) => tx.put('host', `${doc.model} 7`, doc), 'test');
  const withHosts = { ...described, hosts: ['manual:10.0.0.6', 'manual:10.0.0.7'] };
  for (const method of ['Prechecks', 'Import'])
    await expect(call(method, withHosts)).rejects.toThrow(
      'manual:10.0.0.7 is a machine of the target controller already',
    );
  expect(has('arrival')).toBe(false);
  await store.change((tx) => tx.remove('host', `${doc.model} 7`), 'test');
  await call('Prechecks', withHosts);
});

test('a model that consumes offers of a controller that is not reached is refused', async () => {
  const { caCert: own, address } = controller;
  const from = (addresses: string[], caCert = own) => ({
    ...described,
    'consumes-from': { addresses, 'ca-cert': caCert },
  });
  await call('Prechecks', from([address]));
  await expect(call('Prechecks', from(['127.0.0.1:1']))).rejects.toThrow(
    'the model consumes offers of its controller, which the target controller does not reach: ',
  );
  await expect(call('Prechecks', from(['nowhere']))).rejects.toThrow('is not HOST:PORT');
  await expect(call('Prechecks', from([address], 'none'))).rejects.toThrow('is no certificate in PEM');
  const many = Array.from({ length: limits.controllerAddresses.max + 1 }, () => address);
  await expect(call('Prechecks', from(many))).rejects.toThrow('exceed the limit');
});

test('relations of users who may consume their offers here stand in the way of nothing', async () => {
  const consumers = [
    { user: 'admin', offer: 'o', name: 'db' },
    { user: 'x@far', offer: 'o', name: 'db' },
    { user: 'y@far', offer: 'o', name: 'db' },
  ];
  await call('Prechecks', {
    ...described,
    consumers,
    access: [...described.access, { user: 'y@far', model, access: 'admin' }],
    'offer-access': [{ user: 'x@far', offer: 'o', model, access: 'consume' }],
  });
  await call('Prechecks', {
    ...described,
    consumers: [{ user: 'bob', offer: 'o', name: 'db' }],
    'skip-user-checks': true,
  });
});

test("the cloud is asked with the target's own credential of the name, else with the model's", async () => {
  const { services, store } = controller.running();
  const own = { cloud: 'test', owner: 'admin', name: 'key', authType: 'empty', attributes: {} };
  const credential = { ...own, name: 'key', attributes: { from: 'the source' } };
  const id = credentialId(own);
  const asked = vi.spyOn(services, 'environOf');
  const withKey = { ...described, credential, record: { ...record, credential: id } };
  await call('Prechecks', withKey);
  expect(asked.mock.lastCall?.[1]).toMatchObject({ attributes: { from: 'the source' } });
  await store.change((tx) => tx.put('credential', id, own), 'test');
  await call('Prechecks', withKey);
  expect(asked.mock.lastCall?.[1]).toEqual(own);
  await store.change((tx) => tx.remove('credential', id), 'test');
  asked.mockRestore();
});

test('users who are not here may be left out', async () => {
  const access = [...described.access, { user: 'bob', model, access: 'read' }];
  await call('Prechecks', { ...described, access, 'skip-user-checks': true });
});

test('nothing arrives of a migration that was not begun, or was given up', async () => {
  for (const [method, params] of [
    ['ImportDocuments', lines(space)],
    ['ImportSecrets', { ...of, secrets: [{ revision: 'x/1', content: {} }] }],
    ['MissingContents', { ...of, contents: [] }],
    ['ImportContent', { ...of, sha256: 'f'.repeat(64), offset: 0, data: '', last: true }],
    ['Activate', { ...of, documents: 0 }],
    ['AdoptResources', of],
  ] as const)
    await expect(call(method, params), method).rejects.toThrow(`migration "${of.migration}" not found`);
  await call('Abort', of);
});

test('what does not fit is refused, and what is complete becomes a model, once', async () => {
  await call('Import', described);
  const tooLong = { ...of, offset: 0, data: base64('x'.repeat(limits.arrivingPiece.max + 1)), last: true };
  await expect(call('ImportDocuments', tooLong)).rejects.toThrow('piece of what arrives');
  for (const bad of [
    { kind: 'user', id: 'eve', doc: { name: 'eve' } },
    { kind: 'annotation', id: 'x', doc: null },
  ])
    await expect(call('ImportDocuments', lines(bad))).rejects.toThrow(/no record|does not fit|record/);
  await expect(call('ImportDocuments', { ...lines(), data: base64('{') })).rejects.toThrow('no record');
  const wrong = { ...of, sha256: 'f'.repeat(64), offset: 0, data: base64('x'), last: true };
  await expect(call('ImportContent', wrong)).rejects.toThrow('what arrived is something else');
  await call('Import', { ...described, migration: `${model}:1` });
  const next = { ...of, migration: `${model}:1` };
  await expect(call('ImportDocuments', lines(space))).rejects.toThrow('not found');
  await call('ImportDocuments', { ...lines(space), ...next });
  await expect(call('Activate', { ...next, documents: 2 })).rejects.toThrow('1 of 2 records');
  expect(has('model')).toBe(false);
  await call('Activate', { ...next, documents: 1 });
  await call('Activate', { ...next, documents: 1 });
  expect(has('model')).toBe(true);
  await expect(call('Abort', next)).rejects.toThrow('the model is active in the target controller');
  await expect(call('ImportDocuments', { ...lines(space), ...next })).rejects.toThrow('is over');
  await expect(call('Import', { ...described, migration: `${model}:2` })).rejects.toThrow(
    'model with same UUID already exists',
  );
});

/** Makes a model arrive without documents by its migration of this attempt. */
async function arrived(name: string, attempt: number) {
  const uuid = crypto.randomUUID();
  const its = { model: uuid, migration: `${uuid}:${attempt}` };
  const itsRecord = { ...record, uuid, name };
  await call('Import', { ...described, ...its, record: itsRecord, access: [] });
  await call('Activate', { ...its, documents: 0 });
  return { its, itsRecord, model: uuid };
}

test('a model whose last migration still ends here may come back in a moment, and is refused until then', async () => {
  const { its, model: leaving } = await arrived('leaving', 0);
  const { store } = controller.running();
  const parts = { model: store.read().get('model', leaving)!, access: [] };
  const back = { ...its, migration: `${leaving}:2`, from: 'other', ticket: '', machines: 0, parts };
  const target = { uuid: 'other', alias: 'other', addresses: [], caCert: '', user: 'user-admin' };
  const past = { model: leaving, attempt: 1, startedAt: '', phaseAt: '', message: '', target };
  // The check is in the commit of the phase, which fails with it: no worker goes on with the migration.
  const returnsIn = (phase: Phase): Promise<void> =>
    store.change((tx) => {
      tx.put('migration', leaving, { ...past, phase });
      checkArrival(tx, back);
    }, 'test');
  for (const phase of ['SUCCESS', 'REAP'] as const)
    await expect(returnsIn(phase)).rejects.toThrow('still hands its own copy over; try again in a moment');
  await expect(returnsIn('ABORTDONE')).rejects.toThrow(/already exists \(\S+\)$/);
});

test('it stays known that a model had come, once it is destroyed or has left: nobody takes it back', async () => {
  const { its, itsRecord, model: gone } = await arrived('gone', 3);
  const { store } = controller.running();
  await store.change((tx) => removeModel(tx, gone), 'test');
  const isKnown = async (): Promise<void> => {
    await call('Activate', { ...its, documents: 0 });
    await expect(call('Abort', its)).rejects.toThrow(/the model (is|was) active in the target controller/);
  };
  await isKnown();
  await call('AdoptResources', its);
  expect(store.read().get('model', gone)).toBeUndefined();
  const next = { ...its, migration: `${gone}:5` };
  await call('Import', { ...described, ...next, record: itsRecord, access: [] });
  await isKnown();
  await call('Abort', next);
  const later = { ...its, migration: `${gone}:6` };
  await call('Abort', later);
  await expect(call('Activate', { ...later, documents: 0 })).rejects.toThrow('not found');
});

test('of destroyed models the last thousand are known to have come', async () => {
  const { store } = controller.running();
  const { max } = limits.destroyedArrivals;
  const name = (n: number): string => `destroyed-${n}`;
  await store.change((tx) => {
    for (let n = 0; n < max; n++) {
      const at = new Date(n).toISOString();
      const one = { model: name(n), migration: `${name(n)}:0`, from: 'x', ticket: '', machines: 0, at };
      tx.put('arrival', one.model, { ...one, state: n < max - 1 ? 'destroyed' : 'here' });
    }
    const others = [...tx.find('arrival', 'state', 'destroyed')].filter(({ from }) => from !== 'x');
    for (const { model } of others) tx.remove('arrival', model);
  }, 'test');
  const last = crypto.randomUUID();
  const its = { model: last, migration: `${last}:0` };
  await call('Import', { ...described, ...its, record: { ...record, uuid: last, name: 'last' }, access: [] });
  await call('Activate', { ...its, documents: 0 });
  await store.change((tx) => removeModel(tx, name(max - 1)), 'test');
  await store.change((tx) => removeModel(tx, last), 'test');
  const root = store.read();
  expect(root.count('arrival', 'state', 'destroyed')).toBe(max);
  expect(root.get('arrival', name(0))).toBeUndefined();
  expect(root.get('arrival', last)).toBeDefined();
});

test('of a migration that is given up no part of a content stays', async () => {
  const another = crypto.randomUUID();
  const its = { model: another, migration: `${another}:0` };
  const itsRecord = { ...record, uuid: another, name: 'another' };
  await call('Import', { ...described, ...its, record: itsRecord, access: [] });
  await call('ImportContent', { ...its, sha256: 'f'.repeat(64), offset: 0, data: '', last: false });
  const arriving = async (): Promise<number> =>
    (await readdir(join(controller.dataDir, 'uploads'))).filter((name) => name.includes(another)).length;
  expect(await arriving()).toBe(1);
  await call('Abort', its);
  expect(await arriving()).toBe(0);
});
