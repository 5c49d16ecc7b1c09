import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { macaroonToJson } from '../../../kit/macaroon/encode.ts';
import { mint } from '../../../kit/macaroon/macaroon.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { makeTestCa } from '../../../testing/test-ca.ts';
import { consumed, offered, ok, twoModels } from '../../../testing/two-models.ts';

const uuid = '6f1c2b1e-0000-4000-8000-000000000001';
const controller = '6f1c2b1e-0000-4000-8000-000000000002';
const endpoint = { name: 'server', role: 'provider', interface: 'mysql', limit: 0 };
const macaroon = macaroonToJson(mint({ rootKey: Buffer.alloc(24), id: Buffer.from('m') }));
let callers: Callers;
let caCert: string;

beforeAll(async () => {
  callers = await createCallers();
  ({ caCert } = await makeTestCa());
});
afterAll(() => callers[Symbol.asyncDispose]());

const reached = () => ({
  'controller-tag': `controller-${controller}`,
  'controller-alias': 'far',
  addrs: ['10.9.9.9:17070', '[fd00::9]:17070', 'far.example.com:443'],
  'ca-cert': caCert,
});

function consume(rest: object = {}): Promise<void> {
  const offer = {
    'source-model-tag': `model-${uuid}`,
    'offer-uuid': 'offer-1',
    'offer-url': 'far:admin/data.db',
    'offer-name': 'db',
    'application-description': '',
    endpoints: [endpoint],
    macaroon,
    'external-controller': reached(),
  };
  return ok(callers.call('Application', 'Consume', { args: [{ ...offer, ...rest }] }));
}

test('an offer of another controller is kept with its controller and a sealed macaroon', async () => {
  await consume();
  expect(callers.view().get('external-controller', controller)).toEqual({
    uuid: controller,
    alias: 'far',
    addresses: reached().addrs,
    caCert,
  });
  const { saas } = callers.view().get('remote-application', 'db')!;
  expect(saas).toMatchObject({ offerUuid: 'offer-1', url: 'far:admin/data.db', user: 'admin' });
  expect(saas?.elsewhere?.macaroon).toMatch(/^sealed:/);
  const { sealer } = callers.context.services;
  expect(JSON.parse(sealer.open(saas!.elsewhere!.macaroon))).toEqual(macaroon);

  await consume({ 'external-controller': { ...reached(), addrs: ['10.9.9.8:17070'] } });
  expect(callers.view().get('external-controller', controller)?.addresses).toEqual(['10.9.9.8:17070']);
  await consume({ 'application-alias': 'other' });
  for (const name of ['db', 'other']) {
    expect(callers.view().count('external-controller')).toBe(1);
    await ok(
      callers.call('Application', 'DestroyConsumedApplications', {
        applications: [{ 'application-tag': `application-${name}` }],
      }),
    );
  }
  expect(callers.view().count('external-controller')).toBe(0);
});

const far = (rest: object): object => ({ 'external-controller': { ...reached(), ...rest } });

test.each(['my_ctrl', 'far:admin', 'far\u001b[2J'])(
  'an offer of a controller whose name would be none here is consumed, and the name is unknown (%j)',
  async (alias) => {
    const name = 'of-alias';
    await consume({ 'application-alias': name, ...far({ 'controller-alias': alias }) });
    expect(callers.view().get('external-controller', controller)?.alias).toBe('');
    await ok(
      callers.call('Application', 'DestroyConsumedApplications', {
        applications: [{ 'application-tag': `application-${name}` }],
      }),
    );
  },
);

test.each<[string, () => object, string]>([
  ['no macaroon', () => ({ macaroon: undefined }), 'is consumed with its macaroon'],
  ['no macaroon but something else', () => ({ macaroon: { m: 1 } }), 'macaroon not valid'],
  ['no address', () => far({ addrs: [] }), 'none is given'],
  ['an address without a port', () => far({ addrs: ['10.0.0.1'] }), 'is not HOST:PORT'],
  ['an address with a path', () => far({ addrs: ['10.0.0.1:17070/x'] }), 'is not HOST:PORT'],
  ['an address with a port that none is', () => far({ addrs: ['10.0.0.1:99999'] }), 'is not HOST:PORT'],
  [
    'a long name',
    () => far({ 'controller-alias': 'x'.repeat(limits.recordId.max + 1) }),
    'exceed the limit of 1024',
  ],
  ['no certificate', () => far({ 'ca-cert': 'x' }), 'is no certificate in PEM'],
  ['a peer endpoint', () => ({ endpoints: [{ ...endpoint, role: 'peer' }] }), 'endpoint "server"'],
  [
    'an endpoint with a strange name',
    () => ({ endpoints: [{ ...endpoint, name: '../x' }] }),
    'endpoint "../x"',
  ],
  [
    'too many addresses',
    () => far({ addrs: Array<string>(limits.controllerAddresses.max + 1).fill('10.0.0.1:1') }),
    'exceed the limit of 100',
  ],
  [
    'a long address',
    () => far({ addrs: [`${'h'.repeat(limits.controllerAddress.max - 1)}:1`] }),
    'exceed the limit of 512',
  ],
  [
    'a long certificate',
    () => far({ 'ca-cert': 'x'.repeat(limits.caCertificate.max + 1) }),
    'exceed the limit of 65536',
  ],
])('an offer of another controller with %s is refused', async (_, rest, message) => {
  await expect(consume(rest())).rejects.toThrow(message);
  expect(callers.view().count('remote-application')).toBe(0);
});

test('addresses and certificates up to their limits are accepted', async () => {
  const addrs = Array<string>(limits.controllerAddresses.max - 1).fill('10.0.0.1:1');
  const long = `${'h'.repeat(limits.controllerAddress.max - 2)}:1`;
  const padded = `${caCert}${'\n'.repeat(limits.caCertificate.max - caCert.length)}`;
  await consume({ 'application-alias': 'limits', ...far({ addrs: [...addrs, long], 'ca-cert': padded }) });
});

test('an offer here whose model has gone to another controller is not consumed as one of this', async () => {
  await using world = await twoModels();
  await offered(world);
  const { callers, offering } = world;
  const setPhase = (phase: 'SUCCESS' | 'REAP' | 'ABORTDONE'): Promise<void> =>
    callers.store.change((tx) => {
      const target = { uuid: controller, alias: 'far', addresses: [], caCert, user: 'user-admin' };
      const of = { model: offering.uuid, attempt: 0, startedAt: tx.now, phaseAt: tx.now, message: '' };
      tx.put('migration', offering.uuid, { ...of, phase, target });
    }, 'test');
  for (const phase of ['SUCCESS', 'REAP'] as const) {
    await setPhase(phase);
    await expect(consumed(world)).rejects.toThrow('the model of the offer has gone to another controller');
  }
  expect(world.consuming.view().get('remote-application', 'db')).toBeUndefined();
  await setPhase('ABORTDONE');
  await consumed(world);
});
