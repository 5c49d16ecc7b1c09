/**
 * kill -9 of the two controllers of a migration, in each of its phases: afterwards exactly one has the model, the
 * workload has not noticed, and clients and agents reach the model there.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDaemon } from '../../src/cli/daemon.ts';
import { drawPart, partOf, sayPart } from '../part.ts';
import { root, startWorld, type World } from '../world.ts';

const phases = ['QUIESCE', 'IMPORT', 'VALIDATION', 'SUCCESS', 'REAP'] as const;
const victims = ['source', 'target', 'both'] as const;
const all = phases.flatMap((phase) => victims.map((victim) => ({ phase, victim })));
const part = partOf();
const kills = drawPart(part, all, { count: 3, nameOf: ({ phase, victim }) => `${phase} ${victim}` });
if (part !== undefined) console.log(sayPart(part, kills, all, 'kills of controllers that migrate a model'));

const note = 'echo $JUJU_HOOK_NAME >> /srv/hooks';
const keeper = {
  config: 'options:\n  word: {type: string, default: first, description: Is shown.}\n',
  hooks: {
    install: note,
    'config-changed': `${note}\nstatus-set active "word $(config-get word)"`,
    start: `${note}\nsetsid sleep 100000 >/dev/null 2>&1 </dev/null & echo $! > /srv/pid`,
    'upgrade-charm': note,
    stop: note,
  },
};
const model = 'moving';
const dir = mkdtempSync(join(tmpdir(), 'grigri-migrations-'));
let worlds: World[] = [];
/** Controller that has the model, and the other one. */
let owner: World;
let other: World;
/** Hooks that have run, and the workload's process, as the machine tells them. */
let before: string;

async function start(name: string): Promise<World> {
  const own = join(dir, name);
  mkdirSync(own);
  const env = { JUJU_DATA: join(dir, 'client') };
  const world = await startWorld(`migrations-${name}`, {
    runner: { dir: own, argv: [join(root, 'bin/grigri')], env },
  });
  worlds.push(world);
  return world;
}

beforeAll(async () => {
  other = await start('one');
  // The last controller is the current one, which new models are added to.
  owner = await start('two');
  await owner.addModel(model);
  const here = owner.inModel(model);
  await here.grigri('deploy', owner.charm('keeper', keeper));
  await here.untilUnit('keeper/0', { workload: 'active', agent: 'idle' });
  before = await workload(owner);
});
afterAll(async () => {
  const left: string[] = [];
  // The machines run with tools of the controller that they began with: it goes last, as a user would have it.
  for (const world of new Set([owner, ...worlds])) left.push(...((await world?.end()) ?? []));
  worlds = [];
  rmSync(dir, { recursive: true, force: true });
  expect(left).toEqual([]);
});

const workload = (world: World): Promise<string> =>
  world
    .inModel(model)
    .grigri(
      'exec',
      '--unit',
      'keeper/0',
      '--',
      'cat /srv/hooks /srv/pid; ls -d /proc/$(cat /srv/pid); cat /proc/sys/kernel/random/boot_id',
    );

const kill = (world: World): void => world.killController();

/** Waits until the source logs that it enters the phase; the log is as long as `from` before the migration. */
async function entered({ controllerDir }: World, phase: string, from: number): Promise<void> {
  // The first phase begins with the migration, which is not logged.
  if (phase === 'QUIESCE') return;
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(1)) {
    const text = readFileSync(join(controllerDir, 'controller.log'), 'utf8').slice(from);
    if (text.includes(` phase=${phase} `)) return;
  }
  throw new Error(`the migration has not reached phase ${phase}`);
}

/** Returns the controllers that show the model to clients. */
async function owners(): Promise<World[]> {
  const found: World[] = [];
  for (const world of worlds) {
    const shown = await world.grigri('models', '-c', world.name, '--format', 'json');
    if (shown.includes(`"admin/${model}"`)) found.push(world);
  }
  return found;
}

/** Waits until one controller has the model, whose workload has not noticed anything. */
async function settle(): Promise<void> {
  let found: World[] = [];
  await owner.until('the migration to end', async () => {
    found = await owners();
    const [only, ...more] = found;
    if (!only || more.length > 0) return false;
    const shown = await only.inModel(model).grigri('show-model', '--format', 'json');
    return !/"current":\s*"busy"/.test(shown);
  });
  [owner, other] = [found[0]!, worlds.find((one) => one !== found[0])!];
  await owner.inModel(model).untilUnit('keeper/0', { workload: 'active', agent: 'idle' });
  expect(await workload(owner)).toBe(before);
}

test.each(kills)('a migration goes on when in $phase $victim is killed', async ({ phase, victim }) => {
  const from = statSync(join(owner.controllerDir, 'controller.log')).size;
  const killed = { source: [owner], target: [other], both: [owner, other] }[victim];
  await owner.grigri('migrate', `${owner.name}:${model}`, other.name);
  await entered(owner, phase, from);
  killed.forEach(kill);
  await Promise.all(killed.map(({ controllerDir }) => startDaemon({ dataDir: controllerDir })));
  const target = other;
  await settle();
  expect(owner.name).toBe(target.name);
});

test('a migration whose target is gone is given up by a source that is killed then, too, and the model changes again', async () => {
  await owner.grigri('controller-config', '-c', owner.name, 'migration-agent-wait-time=1s');
  const [source, from] = [owner, statSync(join(owner.controllerDir, 'controller.log')).size];
  await source.grigri('migrate', `${source.name}:${model}`, other.name);
  kill(other);
  await entered(source, 'ABORT', from);
  kill(source);
  await Promise.all(worlds.map(({ controllerDir }) => startDaemon({ dataDir: controllerDir })));
  await settle();
  expect(owner.name).toBe(source.name);
});

test('a model that was migrated so changes where it is, and goes with its controller', async () => {
  const there = owner.inModel(model);
  await there.grigri('config', 'keeper', 'word=second');
  await there.untilUnit('keeper/0', { message: 'word second', agent: 'idle' });
  await there.grigri('destroy-model', '--no-prompt', `${owner.name}:${model}`);
  expect(await owners()).toEqual([]);
});
