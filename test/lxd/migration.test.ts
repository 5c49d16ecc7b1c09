/**
 * A model on LXD goes from one controller to another: its workload runs on, no hook runs because of the move, and the
 * new controller adds machines and removes all of them when the old one is gone.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { untilModelLeft } from '../controller-waits.ts';
import { root, startWorld, type ModelWorld, type World } from '../world.ts';
import { addBoxes, base, containers, containersOf, hurry, patienceMs, timed } from './places.ts';
import { lxd } from './server.ts';

const dir = mkdtempSync(join(tmpdir(), 'grigri-migration-'));
let old: World;
let fresh: World;
let uuid: string;
let there: ModelWorld;

const note = 'echo $JUJU_HOOK_NAME >> /srv/hooks';
const keeper = {
  metadata: 'storage:\n  data: {type: filesystem, location: /srv/data, minimum-size: 16M}\n',
  config: 'options:\n  word: {type: string, default: first, description: Is shown.}\n',
  hooks: {
    install: `${note}\necho kept > /srv/data/file`,
    'config-changed': `${note}\nstatus-set active "word $(config-get word)"`,
    start: `${note}\nsetsid sleep 100000 >/dev/null 2>&1 </dev/null & echo $! > /srv/pid`,
  },
};

async function start(name: string): Promise<World> {
  const own = join(dir, name);
  mkdirSync(own);
  const env = { JUJU_DATA: join(dir, 'client') };
  const world = await startWorld(`lxd-migration-${name}`, {
    patienceMs,
    runner: { dir: own, argv: [join(root, 'bin/grigri')], env },
  });
  await world.grigri('add-cloud', 'localhost', '--controller', world.name);
  return world;
}

beforeAll(async () => {
  // The last controller is the current one, which new models are added to.
  fresh = await start('fresh');
  old = await start('old');
  uuid = await addBoxes(old, 'boxes', 'localhost');
  await hurry(old);
  await old.grigri('deploy', old.charm('keeper', keeper), ...base, '--storage', 'data=lxd,16M');
  await old.inModel('boxes').untilUnit('keeper/0', { workload: 'active', agent: 'idle' });
  there = fresh.inModel('boxes');
});
afterAll(async () => {
  const left = [...((await fresh?.end()) ?? []), ...((await old?.end()) ?? [])];
  rmSync(dir, { recursive: true, force: true });
  // The old controller was destroyed by the last test.
  expect(left.filter((line) => !/controller \S+ not found/.test(line))).toEqual([]);
});

const state =
  'cat /srv/hooks /srv/pid /srv/data/file; ls -d /proc/$(cat /srv/pid); cat /proc/sys/kernel/random/boot_id';
const exec = (model: ModelWorld): Promise<string> => model.grigri('exec', '--unit', 'keeper/0', '--', state);

test('a model moves with its machine and volume, and its workload and hooks do not notice', async () => {
  const before = await exec(old.inModel('boxes'));
  const name = `${old.name}:boxes`;
  const [mine] = await containers(uuid);
  expect(await old.grigri('migrate', name, fresh.name, '--dry-run')).toBe('');
  await timed('a model on LXD moves', async () => {
    await old.grigri('migrate', name, fresh.name);
    await there.until('the machine to be the new controller’s', async () => {
      const [now] = await containers(uuid);
      const owner = 'user.juju-controller-uuid';
      return now!.config[owner] !== mine!.config[owner];
    });
  });
  await there.untilUnit('keeper/0', { workload: 'active', agent: 'idle' });
  expect(await exec(there)).toBe(before);
  await there.grigri('config', 'keeper', 'word=second');
  await there.untilUnit('keeper/0', { message: 'word second', agent: 'idle' });
});

test('the new controller adds machines to the model and removes them, when the old one is gone', async () => {
  await untilModelLeft(old, 'boxes');
  await old.grigri('destroy-controller', '--no-prompt', '--destroy-all-models', old.name);
  await there.grigri('add-unit', 'keeper');
  await there.untilUnit('keeper/1', { workload: 'active', agent: 'idle' });
  expect(await containers(uuid)).toHaveLength(2);
  await there.grigri('remove-unit', '--no-prompt', '--destroy-storage', 'keeper/0');
  await there.until('its machine to be gone', async () => (await containers(uuid)).length === 1);
  await fresh.grigri('destroy-model', '--no-prompt', '--destroy-storage', `${fresh.name}:boxes`);
  expect(await containersOf([uuid])).toEqual([]);
  const profiles = await lxd.query<{ name: string }[]>('/1.0/profiles?recursion=1');
  expect(profiles.filter(({ name }) => name.includes(uuid.slice(-6)))).toEqual([]);
});
