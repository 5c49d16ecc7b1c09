/** Constraints, placement and zones as the kernel shows them on machines; and starts that fail. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startDaemon } from '../../src/cli/daemon.ts';
import { startWorld, type World } from '../world.ts';

let world: World;
const used: string[] = [];
const active = { start: 'status-set active "$(hostname)"' };

beforeAll(async () => {
  world = await startWorld('provisioning');
});
afterEach(() => world.clear(...used.splice(0)));
afterAll(async () => expect(await world.end()).toEqual([]));

/** Returns the directory of the charm; its application is removed with the test. */
function charm(name: string): string {
  used.push(name);
  return world.charm(name, { hooks: active });
}

test('units get the constraints of the time when they were added', async () => {
  await world.grigri('deploy', charm('wordpress'), '--constraints', 'mem=2G');
  await world.grigri('set-constraints', 'wordpress', 'mem=3G');
  await world.grigri('add-unit', 'wordpress', '-n', '2');
  for (const n of [0, 1, 2]) await world.untilUnit(`wordpress/${n}`, { workload: 'active', agent: 'idle' });
  const limits: number[] = [];
  for (const n of [0, 1, 2]) limits.push(memoryLimit((await world.unit(`wordpress/${n}`)).machine));
  expect(limits).toEqual([2, 3, 3].map((gigabytes) => gigabytes * 2 ** 30));
});

test('a unit is placed on the machine that was named, and in a container there', async () => {
  await world.grigri('deploy', charm('host'));
  await world.untilUnit('host/0', { workload: 'active', agent: 'idle' });
  const { machine, message } = await world.unit('host/0');
  await world.grigri('deploy', charm('guest'), '--to', machine);
  await world.grigri('deploy', charm('boxed'), '--to', `lxd:${machine}`, '--constraints', 'mem=512M');
  expect(await world.untilUnit('guest/0', { workload: 'active' })).toMatchObject({ machine, message });
  const boxed = await world.untilUnit('boxed/0', { workload: 'active' });
  expect(boxed.machine).toBe(`${machine}/lxd/0`);
  expect(boxed.message).not.toBe(message);
  expect((await world.attempt('deploy', charm('nowhere'), '--to', '99')).stderr).toMatch(
    /machine 99 not found/,
  );
  used.pop();
});

test('machines are spread over the zones of the model', async () => {
  const model = 'zoned';
  await world.addModel(model);
  const inModel = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await world.run(args, { model });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return stdout;
  };
  await inModel('model-config', 'zones=z1,z2,z3');
  const folder = world.charm('spread', { hooks: active });
  await inModel('deploy', folder, '-n', '6');
  await inModel('deploy', folder, 'pinned', '--to', 'zone=z2');
  await inModel('deploy', folder, 'either', '--constraints', 'zones=z1,z3', '-n', '2');
  const zones = async (application: string): Promise<string[]> => {
    const { applications, machines } = (await world.status(model)) as unknown as {
      applications: Record<string, { units: Record<string, { machine: string }> }>;
      machines: Record<string, { hardware?: string }>;
    };
    return Object.values(applications[application]!.units)
      .map(({ machine }) => /availability-zone=(\S+)/.exec(machines[machine]?.hardware ?? '')?.[1] ?? '')
      .toSorted();
  };
  await world.until('six machines in zones', async () => !(await zones('spread')).includes(''));
  expect(await zones('spread')).toEqual(['z1', 'z1', 'z2', 'z2', 'z3', 'z3']);
  await world.until(
    'the others',
    async () => ![...(await zones('pinned')), ...(await zones('either'))].includes(''),
  );
  expect(await zones('pinned')).toEqual(['z2']);
  expect(await zones('either')).toEqual(['z1', 'z3']);
  const refused = await world.run(['deploy', folder, 'lost', '--to', 'zone=z9'], { model });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/z9.*z1.*z2.*z3/s);
  await inModel('destroy-model', model, '--no-prompt', '--force', '--no-wait');
});

test('a start that failed twice is repaired by resolved --constraints', async () => {
  const model = 'repaired';
  await world.addModel(model);
  const attempt = (...args: string[]) => world.run(args, { model });
  const grigri = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await attempt(...args);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return stdout;
  };
  const machine = async () => (await world.status(model)).machines['0'];
  await grigri('model-config', 'zones=good,bad', 'unavailable-zones=bad');
  await grigri('deploy', world.charm('moved', { hooks: active }), '--constraints', 'zones=bad mem=300M');
  await world.until('a second attempt to fail', async () => {
    const { 'instance-id': instance, 'machine-status': status } = (await machine())!;
    expect(instance).toBe('pending');
    return /attempt [2-9] failed.*zone/.test(status.message ?? '');
  });
  expect((await attempt('resolved', '0', '--constraints', 'zones=worse')).stderr).toMatch(/worse.*good/s);
  expect((await attempt('retry-provisioning', '0', '99')).code).toBe(1);
  await grigri('resolved', '0', '--constraints', 'zones=good mem=200M');
  await world.until(
    'the machine to start',
    async () => (await machine())?.['juju-status'].current === 'started',
  );
  const shown = await grigri('show-machine', '0');
  expect(shown).toMatch(/availability-zone=good/);
  expect(memoryLimit('0')).toBe(200 * 2 ** 20);
  await grigri('destroy-model', model, '--no-prompt', '--force', '--no-wait');
});

test('ten starts during which the controller is killed make ten machines', async () => {
  await world.grigri('deploy', charm('ten'), '-n', '10');
  await world.until('the first instances', () => Promise.resolve(world.instances().length > 1));
  world.killController();
  await sleep(500);
  await startDaemon({ dataDir: world.controllerDir });
  for (let n = 0; n < 10; n++) await world.untilUnit(`ten/${n}`, { workload: 'active', agent: 'idle' });
  expect(world.instances()).toHaveLength(10);
});

/** Returns the memory limit of the machine in bytes, as the kernel has it. */
function memoryLimit(machine: string): number {
  const model = world.instances()[0]!.split('/')[0]!;
  const files = ['memory', '']
    .flatMap((tree) =>
      ['memory.limit_in_bytes', 'memory.max'].map((file) =>
        join('/sys/fs/cgroup', tree, 'grigri', `${model}-${machine.replaceAll('/', '-')}`, file),
      ),
    )
    .filter((file) => existsSync(file));
  return files.length > 0 ? Number(readFileSync(files[0]!, 'utf8')) : NaN;
}
