/** Controller in a container of its own: bootstrapped, used, killed, destroyed; afterwards LXD is as before. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { controllerVariant } from '../upgrades/release-variants.ts';
import { root, startWorld, type World } from '../world.ts';
import { allActive, base, patienceMs, timed, type Container } from './places.ts';
import { attempt, within } from './run.ts';
import { emptyLxd } from './server.ts';

const example = (name: string): string => join(root, 'examples', name);
const flags = ['lxd', '--bootstrap-base', 'debian@12'] as const;
let before: Record<string, unknown>;
let world: World;

beforeAll(async () => {
  Object.assign(process.env, emptyLxd.env);
  before = await emptyLxd.inventory();
});

const containers = (): Promise<Container[]> => emptyLxd.query('/1.0/instances?recursion=1');

test('^C during bootstrap leaves nothing', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'grigri-lxdboot-'));
  try {
    const [cloud, ...others] = flags;
    const child = spawn(join(root, 'bin/grigri'), ['bootstrap', cloud, 'never', ...others], {
      env: { ...process.env, JUJU_DATA: dir },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => (output += text.toString()));
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    await within(patienceMs, async () => (await containers()).some((one) => one.status === 'Running'));
    child.kill('SIGINT');
    expect(await ended, output).not.toBe(0);
    await expect.poll(() => emptyLxd.inventory()).toEqual(before);
    const env = { JUJU_DATA: dir };
    const known = await attempt([join(root, 'bin/grigri'), 'controllers', '--format', 'json'], { env });
    expect(known.stdout).not.toContain('never');
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

test('bootstrap creates a controller in a container', async () => {
  world = await timed('bootstrap lxd', () => startWorld('lxdboot', { patienceMs, cloud: flags }));
  const made = await containers();
  expect(made).toHaveLength(1);
  expect(made[0]!.config['user.juju-is-controller']).toBe('true');
  expect(made[0]!.config['user.juju-machine-id']).toBe('0');
  const machine = await world.run(['status', '--format', 'json'], { model: 'controller' });
  expect(machine.stdout).toContain(`"instance-id":"${made[0]!.name}"`);
});

test('a controller in a container makes machines beside itself, which connect to it', async () => {
  await timed('two kv on two containers, deploy to active', async () => {
    await world.grigri('deploy', example('kv'), '-n', '2', ...base, '--force');
    await allActive(world, 2);
  });
  expect(await containers()).toHaveLength(3);
  const output = await world.grigri('exec', '--application', 'kv', '--format', 'json', '--', 'hostname');
  expect(output).toMatch(/juju-[0-9a-f]{6}-0/);
  expect((await world.grigri('ssh', 'kv/1', 'hostname')).trim()).toMatch(/^juju-[0-9a-f]{6}-1$/);
});

/** Returns the process of the controller's service. */
async function service(): Promise<string> {
  const { name } = await controller();
  const show = ['systemctl', 'show', '-P', 'MainPID', 'grigri-controller'];
  return (await emptyLxd.lxc('exec', name, '--', ...show)).trim();
}

async function controller(): Promise<Container> {
  return (await containers()).find((one) => one.config['user.juju-is-controller'])!;
}

test('a controller in a container that is killed restarts and continues', async () => {
  const { name } = await controller();
  const first = await service();
  await emptyLxd.lxc('exec', name, '--', 'kill', '-KILL', first);
  await world.until('another process of it', async () => !['0', first].includes(await service()));
  await world.until(
    'an answer of it',
    async () => Object.keys((await world.status()).applications).length > 0,
  );
  await world.grigri('add-unit', 'kv');
  await allActive(world, 3);
});

test('a controller in a container takes another program, in the same process of its service', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'grigri-lxdboot-'));
  try {
    const before = await service();
    const program = controllerVariant(join(folder, 'another'), (text) => `// another\n${text}`);
    const upgraded = await timed('upgrade-controller', () =>
      world.grigri('upgrade-controller', '--program', program),
    );
    expect(upgraded).toMatch(/^upgraded controller /);
    expect(await service()).toBe(before);
    expect(await world.grigri('upgrade-controller', '--program', program)).toBe('');
    const bad = controllerVariant(
      join(folder, 'bad'),
      (text) => `if (process.argv[2] === 'run') process.exit(7);\n${text}`,
    );
    const { code, stderr } = await world.attempt('upgrade-controller', '--program', bad);
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('did not come up: it ended 3 times before it had come up') as string,
    });
    expect((await world.grigri('model-config', 'update-status-hook-interval')).trim()).toBe('5m');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a destroyed controller leaves LXD as it was', async () => {
  await timed('destroy-controller with three machines', () =>
    world.grigri('destroy-controller', world.name, '--destroy-all-models', '--no-prompt'),
  );
  await expect.poll(() => emptyLxd.inventory()).toEqual(before);
  const known = await world.grigri('controllers', '--format', 'json');
  expect(known).not.toContain(world.name);
  rmSync(world.dir, { recursive: true, force: true });
});
