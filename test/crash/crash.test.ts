/**
 * kill -9 on real processes: the controller while 20 units deploy, and machine agents in the middle of hooks, at
 * random moments. Everything converges, each hook is committed exactly once, no sandbox is orphaned.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDaemon } from '../../src/cli/daemon.ts';
import { partOf } from '../part.ts';
import { startWorld, staying, type World } from '../world.ts';

const kills = partOf() === undefined ? 20 : 10;
let world: World;

beforeAll(async () => {
  world = await startWorld('crash', { patienceMs: 15 * 60_000 });
});
// Undefined when startWorld failed, which is then the failure to report.
afterAll(async () => expect((await world?.end()) ?? []).toEqual([]));

test(`a controller that is killed ${kills} times while 20 units deploy loses nothing`, async () => {
  await world.grigri('deploy', join(import.meta.dirname, 'charm'), 'many', '-n', '20');
  for (let n = 1; n <= kills; n++) {
    await sleep(Math.random() * 2000);
    world.killController();
    // After the last kill the next commands start the controller, two at once.
    if (n < kills) await startDaemon({ dataDir: world.controllerDir });
    else await Promise.all([world.grigri('status'), world.grigri('models')]);
  }
  await allActive(20);
  const counts = await committed('many');
  expect(Object.keys(counts)).toHaveLength(20);
  for (const [unit, hooks] of Object.entries(counts)) {
    expect(hooks, unit).toMatchObject({ install: '1', start: '1', 'others-relation-created-': '1' });
    for (const [hook, times] of Object.entries(hooks)) expect([unit, hook, times]).toEqual([unit, hook, '1']);
  }
  expect(world.instances()).toHaveLength(20);
});

test(`machine agents that are killed ${kills} times in the middle of a hook commit each hook once`, async () => {
  await world.grigri('deploy', join(import.meta.dirname, 'charm'), 'one', '--config', 'slow=0.3');
  await allActive(21);
  const { machine } = await world.unit('one/0');
  for (let n = 1; n <= kills; n++) {
    await world.grigri('config', 'one', `n=${n}`);
    await sleep(Math.random() * 1500);
    const pid = world.agentPid(machine);
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  }
  await world.until(
    'the last change',
    async () => (await committed('one'))['one/0']?.[`config-changed-${kills}`] === '1',
  );
  const hooks = (await committed('one'))['one/0']!;
  for (const [hook, times] of Object.entries(hooks)) expect([hook, times]).toEqual([hook, '1']);
});

test('a machine that crashes is started again with its files, its address and its unit', async () => {
  const before = (await world.status()).machines['20']!;
  const [folder] = world.instances().filter((path) => path.endsWith('-20'));
  const first = Number(
    readFileSync(join(world.controllerDir, 'machines', folder!, 'pid'), 'utf8').split(' ')[0],
  );
  const boot = (): Promise<string> => world.grigri('ssh', '20', 'cat /proc/sys/kernel/random/boot_id');
  const bootBefore = await boot();
  process.kill(first, 'SIGKILL');
  await world.until('the next boot', async () => (await boot()) !== bootBefore);
  await allActive(21);
  expect((await world.status()).machines['20']!['dns-name']).toBe(before['dns-name']);
  expect((await committed('one'))['one/0']!['install']).toBe('1');
});

test('everything that was deployed can be removed, and no sandbox is left', async () => {
  await world.grigri('remove-application', '--no-prompt', 'many', 'one');
  await world.until(
    'the last machine to go',
    async () => Object.keys((await world.status()).machines).length === 0,
  );
  await expect.poll(() => world.instances()).toEqual([]);
});

async function allActive(count: number): Promise<void> {
  const stays = staying();
  await world.until(`${count} active units`, async () => {
    const units = Object.values((await world.status()).applications).flatMap((one) =>
      Object.values(one.units ?? {}),
    );
    return stays(
      units.length === count &&
        units.every(
          (unit) => unit['workload-status'].current === 'active' && unit['juju-status'].current === 'idle',
        ),
    );
  });
}

/** Returns the number of commits by unit and hook. */
async function committed(application: string): Promise<Record<string, Record<string, string>>> {
  const out = await world.grigri(
    'exec',
    '--application',
    application,
    '--format',
    'json',
    '--',
    'state-get --format json',
  );
  const results = JSON.parse(out) as Record<string, { results: { stdout: string } }>;
  return Object.fromEntries(
    Object.entries(results).map(([unit, { results: one }]) => [
      unit,
      JSON.parse(one.stdout) as Record<string, string>,
    ]),
  );
}
