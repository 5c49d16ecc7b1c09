/**
 * A model with a real machine goes from one controller of this host to another: its workload runs on, no hook runs
 * because of the move, and the new controller goes on with all of it, also after the old one is gone.
 */
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { untilModelLeft } from '../controller-waits.ts';
import { root, startWorld, type ModelWorld, type World } from '../world.ts';

const dir = mkdtempSync(join(tmpdir(), 'grigri-migration-'));
let old: World;
let fresh: World;
let uuid: string;
let there: ModelWorld;

const note = 'echo $JUJU_HOOK_NAME >> /srv/hooks';
const keeper = {
  config: 'options:\n  word: {type: string, default: first, description: Is shown.}\n',
  hooks: {
    install: note,
    'leader-elected': `${note}\nstate-set id=$(secret-add --label pw password=hidden)`,
    'config-changed': `${note}\nstatus-set active "word $(config-get word)"`,
    start: `${note}\nsetsid sleep 100000 >/dev/null 2>&1 </dev/null & echo $! > /srv/pid`,
    'upgrade-charm': note,
    stop: note,
  },
};

async function start(name: string): Promise<World> {
  const own = join(dir, name);
  mkdirSync(own);
  const env = { JUJU_DATA: join(dir, 'client') };
  return await startWorld(`migration-${name}`, {
    runner: { dir: own, argv: [join(root, 'bin/grigri')], env },
  });
}

beforeAll(async () => {
  // The last controller is the current one, which new models are added to.
  fresh = await start('fresh');
  old = await start('old');
  uuid = await old.addModel('moving');
  const here = old.inModel('moving');
  await here.grigri('deploy', old.charm('keeper', keeper));
  await here.untilUnit('keeper/0', { workload: 'active', agent: 'idle' });
  there = fresh.inModel('moving');
});
afterAll(async () => {
  const left = [...((await fresh?.end()) ?? []), ...((await old?.end()) ?? [])];
  rmSync(dir, { recursive: true, force: true });
  // The old controller was destroyed by the last test.
  expect(left.filter((line) => !/controller \S+ not found/.test(line))).toEqual([]);
});

const exec = (model: ModelWorld, script: string): Promise<string> =>
  model.grigri('exec', '--unit', 'keeper/0', '--', script);

test('a model moves, and its workload and hooks do not notice', { timeout: 240_000 }, async () => {
  const here = old.inModel('moving');
  const state = 'cat /srv/hooks /srv/pid; ls -d /proc/$(cat /srv/pid); hostname';
  const before = await exec(here, state);
  const name = `${old.name}:moving`;
  expect(await old.grigri('migrate', name, fresh.name, '--dry-run')).toBe('');
  await old.grigri('migrate', name, fresh.name);
  await there.until('the model to be there', async () =>
    (await fresh.grigri('models', '-c', fresh.name, '--format', 'json')).includes('"admin/moving"'),
  );
  await there.untilUnit('keeper/0', { workload: 'active', agent: 'idle' });
  expect(await exec(there, state)).toBe(before);
  expect(await exec(there, 'secret-get $(state-get id) password')).toContain('hidden');
  await there.grigri('config', 'keeper', 'word=second');
  await there.untilUnit('keeper/0', { message: 'word second', agent: 'idle' });
});

test('a model comes back to the controller that it left, and goes again', { timeout: 240_000 }, async () => {
  const here = old.inModel('moving');
  const state = 'cat /srv/hooks /srv/pid; ls -d /proc/$(cat /srv/pid); hostname';
  const before = await exec(there, state);
  for (const [from, to, model] of [
    [fresh, old, here],
    [old, fresh, there],
  ] as const) {
    await untilModelLeft(to, 'moving');
    await from.grigri('migrate', `${from.name}:moving`, to.name);
    await model.until('the model to be there', async () =>
      (await to.grigri('models', '-c', to.name, '--format', 'json')).includes('"admin/moving"'),
    );
    await model.untilUnit('keeper/0', { workload: 'active', agent: 'idle' });
    expect(await exec(model, state)).toBe(before);
    expect(lstatSync(join(to.controllerDir, 'machines', uuid)).isSymbolicLink()).toBe(false);
  }
});

test('the old controller says where the model is', async () => {
  await untilModelLeft(old, 'moving');
  const { code, stderr } = await old.attempt('status', '-m', `${old.name}:${uuid}`);
  expect(code).toBe(1);
  expect(stderr).toMatch(/migrated to controller|not found/);
});

test(
  'the new controller adds to the model, and removes it, when the old one is gone',
  { timeout: 240_000 },
  async () => {
    await untilModelLeft(old, 'moving');
    const { stderr } = await old.attempt(
      'destroy-controller',
      '--no-prompt',
      '--destroy-all-models',
      old.name,
    );
    expect(stderr).toMatch(/Keeping \S+ for machines of models that moved/);
    expect(readdirSync(old.controllerDir).toSorted()).toEqual(['machines', 'tools']);
    // An agent that starts again runs with the tools of the controller that is gone.
    await there.attempt(
      'exec',
      '--unit',
      'keeper/0',
      '--wait',
      '5s',
      '--',
      'kill -9 $(pgrep -f "agent.mjs machine")',
    );
    await there.grigri('config', 'keeper', 'word=third');
    await there.untilUnit('keeper/0', { message: 'word third', agent: 'idle' });
    await there.grigri('add-unit', 'keeper');
    await there.untilUnit('keeper/1', { workload: 'active', agent: 'idle' });
    await fresh.grigri('destroy-model', '--no-prompt', `${fresh.name}:moving`);
    expect(fresh.traces(uuid)).toEqual([]);
    expect(existsSync(old.controllerDir)).toBe(false);
  },
);
