/** Addresses of containers when LXD or the controller fails in between; tests on a real LXD are in test/lxd. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../kit/clock.ts';
import { silentLog } from '../../../kit/log.ts';
import type { Environ } from '../../contract/provider.ts';
import { createLxdProvider } from './index.ts';
import { startTestLxd, type TestLxd } from '../../../testing/providers/test-lxd.ts';

const never = new AbortController().signal;
const uuids = { controllerUuid: randomUUID(), modelUuid: randomUUID() };
const prefix = `juju-${uuids.modelUuid.slice(-6)}`;

let lxd: TestLxd;
let environ: Environ;

beforeEach(async () => {
  lxd = await startTestLxd();
  environ = open();
  await environ.instances.start(
    {
      machineId: '0',
      nonce: 'nonce 0',
      base: { name: 'debian', channel: '12/stable' },
      constraints: {},
      tags: {},
      agent: { toolsDir: '', dataDir: '/var/lib/juju', agentConf: '', version: '3.6.0' },
      progress: () => undefined,
    },
    never,
  );
});
afterEach(() => lxd.close());

/** Opens the environ as a newly started controller does. */
function open(): Environ {
  const provider = createLxdProvider();
  return provider.open({
    cloud: lxd.spec,
    config: provider.validate({}),
    ...uuids,
    modelName: 'test',
    stateDir: '/nowhere',
    clock: systemClock,
    log: silentLog,
  });
}

const take = async (id: string, of: Environ = environ): Promise<string> =>
  (await of.containers!.takeAddress!(id, never)).value;

test('An address is held by an instance that is not listed in the model', async () => {
  const address = await environ.containers!.takeAddress!('0/lxd/0', never);
  expect(address).toEqual({ value: '10.77.0.6', type: 'ipv4', scope: 'local-cloud', cidr: '10.77.0.0/29' });
  const { body, status } = lxd.instances.get(`${prefix}-0-lxd-0`)!;
  expect(status).toBe('Stopped');
  expect(body).toMatchObject({
    source: { type: 'none' },
    devices: {
      eth0: { type: 'nic', network: 'lxdbr0', 'ipv4.address': '10.77.0.6' },
      root: { pool: 'default' },
    },
  });
  expect((await environ.instances.list(never)).map(({ id }) => id)).toEqual([`${prefix}-0`]);
  expect(await environ.instances.get([`${prefix}-0-lxd-0`], never)).toEqual([undefined]);
});

test('A reservation whose answer is lost is found again, also by another controller', async () => {
  lxd.meddle = (request) => (request === 'POST /1.0/instances' ? 'cut after' : undefined);
  await expect(take('0/lxd/0')).rejects.toMatchObject({ class: 'transient' });
  lxd.meddle = () => undefined;
  const addresses = [await take('0/lxd/0'), await take('0/lxd/0', open()), await take('0/lxd/1')];
  expect(addresses).toEqual(['10.77.0.6', '10.77.0.6', '10.77.0.5']);
});

test('An address that was taken meanwhile is skipped', async () => {
  let refusals = 2;
  lxd.meddle = (request) =>
    request === 'POST /1.0/instances' && refusals-- > 0
      ? { status: 400, error: 'IP address "10.77.0.6" already defined on another NIC' }
      : undefined;
  expect(await take('0/lxd/0')).toBe('10.77.0.4');
});

test('Exhausted addresses are a quota error', async () => {
  for (const n of [0, 1, 2, 3, 4]) await take(`0/lxd/${n}`);
  await expect(take('0/lxd/5')).rejects.toMatchObject({ class: 'quota' });
  await environ.containers!.releaseAddresses!(['0/lxd/3', '0', '0/lxd/9'], never);
  expect(await take('0/lxd/5')).toBe('10.77.0.3');
  expect(lxd.instances.has(`${prefix}-0`)).toBe(true);
});

test('A machine on a network that LXD does not manage has no containers', async () => {
  lxd.network = { managed: false, config: {} };
  await expect(take('0/lxd/0')).rejects.toMatchObject({ class: 'bad request' });
  await expect(take('7/lxd/0')).rejects.toMatchObject({ code: 'not found' });
});

test('Addresses are released with their model', async () => {
  await take('0/lxd/0');
  await environ.destroyModel(never);
  expect([...lxd.instances.keys()]).toEqual([]);
});

test('An address is on the network of the space that is asked for', async () => {
  lxd.networks.set('dmz', '10.79.0.1/24');
  const own = { name: 'alpha', subnets: ['10.77.0.0/29'] };
  const dmz = { name: 'dmz', subnets: ['10.79.0.0/24'] };
  await environ.instances.start(
    {
      machineId: '1',
      nonce: 'nonce 1',
      base: { name: 'debian', channel: '12/stable' },
      constraints: {},
      tags: {},
      agent: { toolsDir: '', dataDir: '/var/lib/juju', agentConf: '', version: '3.6.0' },
      progress: () => undefined,
      networks: { spaces: [own, dmz], excluded: [] },
    },
    never,
  );
  const { takeAddress } = environ.containers!;
  const take = (id: string, spaces: (typeof own)[], excluded: string[] = []) =>
    takeAddress!(id, never, { spaces, excluded });
  const taken = await take('1/lxd/0', [dmz]);
  expect(taken).toMatchObject({ cidr: '10.79.0.0/24' });
  expect(await takeAddress!('1/lxd/0', never), 'of a container that starts again').toEqual(taken);
  expect(await take('1/lxd/1', [own])).toMatchObject({ cidr: '10.77.0.0/29' });
  expect(await take('1/lxd/2', [], ['10.77.0.0/29'])).toMatchObject({ cidr: '10.79.0.0/24' });
  await expect(take('1/lxd/3', [own, dmz])).rejects.toMatchObject({ class: 'bad request' });
  await expect(take('0/lxd/0', [dmz])).rejects.toMatchObject({ class: 'bad request' });
});
