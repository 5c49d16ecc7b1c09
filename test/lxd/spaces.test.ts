/** Machines on the networks of the spaces that bindings and constraints ask for. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root, type World } from '../world.ts';
import { base, containers, startBoxes } from './places.ts';
import { lxd } from './server.ts';

let world: World & { readonly uuid: string };
const kv = join(root, 'examples', 'kv');
const second = lxd.secondBridge;
const [own, dmz] = ['10.79.83.', '10.79.103.'];

beforeAll(async () => {
  const config = ['ipv4.address=10.79.103.1/24', 'ipv4.nat=true', 'ipv6.address=none'];
  await lxd.lxc('network', 'create', second, ...config);
  world = await startBoxes('spaces');
});
afterAll(async () => {
  expect((await world?.end()) ?? []).toEqual([]);
  await lxd.lxc('network', 'delete', second);
});

const shown = async <T>(...args: string[]): Promise<T> =>
  JSON.parse(await world.grigri(...args, '--format', 'json')) as T;
const networksOf = async (instance: string): Promise<string[]> => {
  const { expanded_devices: devices } = await lxd.query<{
    expanded_devices: Record<string, { type: string; network?: string }>;
  }>(`/1.0/instances/${instance}`);
  return Object.values(devices).flatMap(({ type, network }) => (type === 'nic' ? [network!] : []));
};
const instanceOf = async (machine: string): Promise<string> => {
  await world.until(`an instance of machine ${machine}`, async () =>
    (await containers(world.uuid)).some(({ config }) => config['user.juju-machine-id'] === machine),
  );
  const all = await containers(world.uuid);
  return all.find(({ config }) => config['user.juju-machine-id'] === machine)!.name;
};

test('the networks of LXD are subnets of a new model', async () => {
  const { subnets } = await shown<{ subnets: Record<string, { space: string }> }>('subnets');
  expect(Object.keys(subnets)).toEqual(expect.arrayContaining([`${own}0/24`, `${dmz}0/24`]));
  await world.grigri('add-space', 'dmz', `${dmz}0/24`);
  await world.grigri('add-space', 'empty');
});

test('a unit has an address for each binding, and network-get prints the address of the binding', async () => {
  await world.grigri('deploy', kv, '--bind', 'alpha db=dmz', ...base, '--force');
  await world.untilUnit('kv/0', { workload: 'active', agent: 'idle' });
  expect((await networksOf(await instanceOf('0'))).sort()).toEqual([lxd.bridge, second].sort());
  const get = async (binding: string): Promise<string> =>
    (await world.grigri('exec', '--unit', 'kv/0', `network-get ${binding} --ingress-address`)).trim();
  await world.until('an address in the space', async () => (await get('db')).startsWith(dmz));
  expect(await get('juju-info')).toContain(own);
  // Addresses on both networks answer.
  expect(await world.grigri('exec', '--machine', '0', 'ip -4 -o addr show scope global')).toMatch(
    new RegExp(`${own}[\\s\\S]*${dmz}|${dmz}[\\s\\S]*${own}`),
  );
});

test('a container is on the network of its space, and leaves by it', async () => {
  await world.grigri('deploy', kv, 'inner', '--bind', 'dmz', '--to', 'lxd:0', ...base, '--force');
  await world.untilUnit('inner/0', { workload: 'active', agent: 'idle' });
  const on = async (unit: string, command: string): Promise<string> =>
    (await world.grigri('exec', '--unit', unit, command)).trim();
  let address = '';
  await world.until('an address in the space', async () =>
    (address = await on('inner/0', 'network-get db --ingress-address')).startsWith(dmz),
  );
  const connect = `python3 -c 'import socket; s = socket.create_connection(("${dmz}1", 53), 5); print(s.getsockname()[0])'`;
  expect(await on('inner/0', connect)).toBe(address);
  // The container's machine reaches the container, and the container reaches other machines.
  const ping = `python3 -c 'import socket; s = socket.create_connection(("${address}", 7379), 5); s.sendall(b"PING\\n"); print(s.recv(9).decode())'`;
  expect(await on('kv/0', ping)).toContain('PONG');
  expect(await on('inner/0', 'ip -4 -o addr show scope global | wc -l')).toBe('1');
  expect((await world.grigri('ssh', 'inner/0', 'hostname')).trim()).toMatch(/-0-lxd-0$/);
  const several = await world.attempt(
    'deploy',
    kv,
    'both',
    '--bind',
    'alpha db=dmz',
    '--to',
    'lxd:0',
    ...base,
    '--force',
  );
  expect(several).toMatchObject({ code: 1 });
  expect(several.stderr).toContain('cannot be in several spaces: alpha, dmz');
  await world.grigri('remove-application', 'inner', '--no-prompt');
  await world.until('the container to go', async () => !(await world.grigri('status')).includes('0/lxd/0'));
  await world.until('its rule to go', async () => !(await on('kv/0', 'ip rule show')).includes(address));
});

test('a host that is made for a container is on the container’s network', async () => {
  await world.grigri('deploy', kv, 'hosted', '--bind', 'dmz', '--to', 'lxd', ...base, '--force');
  await world.untilUnit('hosted/0', { workload: 'active', agent: 'idle' });
  expect(await networksOf(await instanceOf('1'))).toEqual([second]);
  await world.grigri('remove-application', 'hosted', '--no-prompt');
  await world.grigri('remove-machine', '1', '--force', '--no-prompt').catch(() => '');
});

test('constraints choose and exclude networks', async () => {
  await world.grigri('add-machine', '--constraints', 'spaces=dmz', ...base);
  await world.grigri('add-machine', '--constraints', 'spaces=^dmz', ...base);
  expect(await networksOf(await instanceOf('2'))).toEqual([second]);
  expect(await networksOf(await instanceOf('3'))).toEqual([lxd.bridge]);
  await world.until('the machine on the other network', async () =>
    /^2 +started .*10\.79\.103\./m.test(await world.grigri('machines')),
  );
  await world.grigri('remove-machine', '2', '3', '--force', '--no-prompt');
});

test('a space without subnets is an error of the machine that says what to do', async () => {
  await world.grigri('deploy', kv, 'nowhere', '--bind', 'db=empty', ...base, '--force');
  await world.until('the error', async () =>
    (await world.grigri('show-machine', '4')).includes('space "empty" has no subnets'),
  );
  await world.grigri('remove-application', 'nowhere', '--force', '--no-wait', '--no-prompt');
});
