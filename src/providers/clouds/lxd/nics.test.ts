/** Network cards of LXD instances, by the spaces that are requested. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../kit/clock.ts';
import { silentLog } from '../../../kit/log.ts';
import { startTestLxd, type TestLxd } from '../../../testing/providers/test-lxd.ts';
import type { Environ, StartParams } from '../../contract/provider.ts';
import { createLxdProvider } from './index.ts';

const never = new AbortController().signal;
const modelUuid = randomUUID();
let lxd: TestLxd;
let environ: Environ;

beforeEach(async () => {
  lxd = await startTestLxd();
  lxd.networks.set('storage', '10.78.0.1/24');
  lxd.networks.set('dmz', '10.79.0.1/24');
  const provider = createLxdProvider();
  environ = provider.open({
    cloud: lxd.spec,
    config: provider.validate({}),
    controllerUuid: randomUUID(),
    modelUuid,
    modelName: 'test',
    stateDir: '/nowhere',
    clock: systemClock,
    log: silentLog,
  });
});
afterEach(() => lxd.close());

const start = (networks?: StartParams['networks'], constraints = {}) =>
  environ.instances.start(
    {
      machineId: '0',
      nonce: 'nonce 0',
      base: { name: 'debian', channel: '12/stable' },
      constraints,
      tags: {},
      agent: { toolsDir: '', dataDir: '/var/lib/juju', agentConf: '', version: '3.6.0' },
      progress: () => undefined,
      ...(networks && { networks }),
    },
    never,
  );
const made = () => [...lxd.instances.values()][0]!;
const own = { name: 'alpha', subnets: ['10.77.0.0/29'] };
const storage = { name: 'fast', subnets: ['10.78.0.0/24'] };

test('The networks are those that LXD manages', async () => {
  expect(await environ.networks!.subnets(never)).toEqual(['10.79.0.0/24', '10.77.0.0/29', '10.78.0.0/24']);
});

const eth0 = { type: 'nic', network: 'lxdbr0', name: 'eth0' };
const none = { type: 'none' };
const nic = (name: string, network: string) => ({ type: 'nic', network, name });
test.each([
  ['no space', undefined, {}, undefined],
  ['the own space', { spaces: [own], excluded: [] }, { eth0 }, ['eth0']],
  [
    'a space beside the own',
    { spaces: [own, storage], excluded: [] },
    { eth0, eth1: nic('eth1', 'storage') },
    ['eth0', 'eth1'],
  ],
  ['another space alone', { spaces: [storage], excluded: [] }, { eth0: nic('eth0', 'storage') }, ['eth0']],
  [
    'the own space excluded',
    { spaces: [], excluded: ['10.77.0.0/29'] },
    { eth0: nic('eth0', 'dmz') },
    ['eth0'],
  ],
  ['another space excluded', { spaces: [], excluded: ['10.78.0.0/24'] }, { eth0 }, ['eth0']],
])('An instance for %s has the cards', async (_, networks, devices, names) => {
  await start(networks);
  expect(made().devices).toEqual(devices);
  const config = made().config['user.network-config'];
  const shown = config === undefined ? undefined : (JSON.parse(config) as { config: { name: string }[] });
  expect(shown?.config.map(({ name }) => name)).toEqual(names);
});

test('A card of the profile that serves no space is hidden', async () => {
  const profile = lxd.profiles.get('default')!;
  profile['devices'] = { ...(profile['devices'] as object), public: { type: 'nic', network: 'dmz' } };
  await start({ spaces: [own], excluded: [] });
  expect(made().devices).toEqual({ eth0, public: none });
});

test('Networks that LXD does not have are bad requests that make nothing', async () => {
  await expect(
    start({ spaces: [{ name: 'far', subnets: ['10.1.0.0/24'] }], excluded: [] }),
  ).rejects.toMatchObject({
    class: 'bad request',
    message: expect.stringContaining(
      'LXD has no network with a subnet of space "far" (10.1.0.0/24)',
    ) as string,
  });
  expect(lxd.instances.size).toBe(0);
});

test('The cards of a virtual machine have MAC addresses, by which its first boot names them', async () => {
  await start({ spaces: [own, storage], excluded: [] }, { 'virt-type': 'virtual-machine' });
  const { devices, config } = made();
  const macs = Object.fromEntries(
    Object.entries(devices as Record<string, Record<string, string>>).map(([name, nic]) => [
      name,
      nic['hwaddr'],
    ]),
  );
  expect(macs['eth0']).toMatch(/^00:16:3e(:[0-9a-f]{2}){3}$/);
  expect(macs['eth1']).not.toBe(macs['eth0']);
  const shown = JSON.parse(config['user.network-config']!) as {
    config: { name: string; mac_address: string }[];
  };
  expect(Object.fromEntries(shown.config.map((one) => [one.name, one.mac_address]))).toEqual(macs);
});
