/** Units in containers on local machines: sandboxes within sandboxes, made by their machine's agent. */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../world.ts';

const port = 8098;
const charm = {
  hooks: {
    start: [
      `setsid python3 -m http.server ${port} >/dev/null 2>&1 </dev/null &`,
      `open-port ${port}/tcp`,
      'status-set active "$(hostname)"',
    ].join('\n'),
  },
};
let world: World;

beforeAll(async () => {
  world = await startWorld('containers');
  await world.grigri('add-machine');
});
afterAll(async () => expect(await world.end()).toEqual([]));

test('a unit in a container can be reached when it is exposed, and the container is removed with it', async () => {
  await world.grigri('deploy', world.charm('site', charm), '--to', 'lxd:0', '--constraints', 'mem=300M');
  const { machine, message } = await world.untilUnit('site/0', { workload: 'active', agent: 'idle' });
  expect(machine).toBe('0/lxd/0');
  const [host = ''] = world.instances().map((path) => path.split('/')[1]);
  expect(message).toBe(`${host}-lxd-0`);
  expect((await world.grigri('ssh', 'site/0', 'hostname')).trim()).toBe(message);
  expect((await world.grigri('ssh', '0', 'hostname')).trim()).toBe(host);
  const isolation = (await world.status()).machines['0']!['machine-status'].message ?? '';
  const limits = await world.grigri(
    'ssh',
    '0',
    'cat /run/grigri/cgroup/memory/grigri/*/memory.limit_in_bytes /sys/fs/cgroup/grigri/*/memory.max 2>/dev/null || :',
  );
  // Limits apply where the host allows setting them.
  expect(limits.trim()).toBe(isolation.includes('no limits') ? '' : String(300 * 1024 * 1024));

  const address = await addressOf('site/0');
  expect(await reaches(address)).toBe(false);
  await world.grigri('expose', 'site');
  await world.until('the port to open', () => reaches(address));
  await world.grigri('unexpose', 'site');
  await world.until('the port to close', async () => !(await reaches(address)));

  await world.grigri('remove-unit', 'site/0', '--no-prompt');
  await world.until('the container to be gone', async () => {
    const left = await world.grigri('ssh', '0', 'ls /var/lib/juju/containers/*; ip -br link');
    return !left.includes('lxd') && !left.includes('gc-');
  });
  expect(Object.keys((await world.status()).machines)).toEqual(['0']);
});

test('a container is started again with its files and its address after its machine was killed', async () => {
  await world.grigri('deploy', world.charm('kept', charm), '--to', 'lxd:0');
  await world.untilUnit('kept/0', { workload: 'active', agent: 'idle' });
  await world.grigri('expose', 'kept');
  const address = await addressOf('kept/0');
  await world.grigri('ssh', 'kept/0', 'echo mine >/etc/grigri-kept');
  const boot = (): Promise<string> => world.grigri('ssh', 'kept/0', 'cat /proc/sys/kernel/random/boot_id');
  const before = await boot();
  const [machine = ''] = world.instances();
  const pid = readFileSync(join(world.controllerDir, 'machines', machine, 'pid'), 'utf8').split(' ')[0];
  process.kill(Number(pid), 'SIGKILL');
  await world.until('the container to be started again', async () => (await boot()) !== before);
  // The start hook runs again, as after every boot.
  await world.until('the charm to serve again', () => reaches(address));
  expect((await world.grigri('ssh', 'kept/0', 'cat /etc/grigri-kept')).trim()).toBe('mine');
  expect(await addressOf('kept/0')).toBe(address);
});

test('a machine that was made for a container is removed with it; with force, the container is removed with the machine', async () => {
  await world.grigri('deploy', world.charm('pair', charm), '--to', 'lxd');
  const { machine } = await world.untilUnit('pair/0', { workload: 'active', agent: 'idle' });
  const host = machine.slice(0, machine.indexOf('/'));
  await world.grigri('remove-application', 'pair', '--no-prompt');
  await world.until('the machine to be gone', async () => {
    return (await world.status()).machines[host] === undefined && world.instances().length === 1;
  });

  // Removing the first machine needs force while a container is on it.
  expect((await world.attempt('remove-machine', '0', '--no-prompt')).stderr).toMatch(
    /machine 0 is hosting container/,
  );
  await world.grigri('remove-machine', '0', '--force', '--no-wait', '--no-prompt');
  await world.until('the machine to be gone', () => Promise.resolve(world.instances().length === 0));
});

async function addressOf(unit: string): Promise<string> {
  const [application = ''] = unit.split('/');
  return (await world.status()).applications[application]!.units![unit]!['public-address'] ?? '';
}

function reaches(host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 700 });
    const end = (reached: boolean) => (): void => {
      socket.destroy();
      resolve(reached);
    };
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false));
  });
}
