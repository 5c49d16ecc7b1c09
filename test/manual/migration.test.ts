/**
 * A model with a host that was added over ssh goes from one controller to another: its workload runs on, and the host
 * is as it was before once the new controller has removed it, with the old one gone.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root, startWorld, type ModelWorld, type World } from '../world.ts';
import { makeHosts, type TestHost } from './hosts.ts';

const hosts = makeHosts();
const dir = mkdtempSync(join(tmpdir(), 'grigri-migration-'));
let host: TestHost;
let before: Readonly<Record<string, string>>;
let old: World;
let fresh: World;
let here: ModelWorld;
let there: ModelWorld;

async function start(name: string): Promise<World> {
  const own = join(dir, name);
  mkdirSync(own);
  const world = await startWorld(`manual-migration-${name}`, {
    patienceMs: 180_000,
    runner: { dir: own, argv: [join(root, 'bin/grigri')], env: { JUJU_DATA: join(dir, 'client') } },
  });
  const file = join(own, 'clouds.yaml');
  writeFileSync(file, 'clouds: {my-hosts: {type: manual, auth-types: [empty], regions: {default: {}}}}\n');
  await world.grigri('add-cloud', 'my-hosts', file, '--controller', world.name, '--force');
  return world;
}

beforeAll(async () => {
  host = await hosts.make('moving', { init: 'minimal' });
  before = host.files();
  // The last controller is the current one, which new models are added to.
  fresh = await start('fresh');
  old = await start('old');
  await old.grigri('add-model', 'hosts', 'my-hosts', '--no-switch');
  [here, there] = [old.inModel('hosts'), fresh.inModel('hosts')];
  await here.grigri('model-config', 'enable-os-refresh-update=false', 'enable-os-upgrade=false');
});
afterAll(async () => {
  try {
    const left = [...((await fresh?.end()) ?? []), ...((await old?.end()) ?? [])];
    // The old controller was destroyed by the last test.
    expect(left.filter((line) => !/controller \S+ not found/.test(line))).toEqual([]);
  } finally {
    await hosts.end();
    rmSync(dir, { recursive: true, force: true });
  }
});

const note = 'echo $JUJU_HOOK_NAME >> /srv/hooks';
const hooks = {
  install: note,
  'config-changed': `${note}\nstatus-set active "word $(config-get word)"`,
  start: `${note}\nsetsid sleep 100000 >/dev/null 2>&1 </dev/null & echo $! > /srv/pid`,
  stop: 'kill $(cat /srv/pid)\nrm /srv/pid /srv/hooks',
};
const config = 'options:\n  word: {type: string, default: first, description: Is shown.}\n';

test('a model with a host moves, and its workload and hooks do not notice', async () => {
  await here.grigri('add-machine', `ssh:root@${host.address}`, '--private-key', hosts.key);
  await here.grigri('deploy', old.charm('keeper', { hooks, config }), '--to', '0', '--base', 'debian@12');
  await here.untilUnit('keeper/0', { workload: 'active', agent: 'idle' });
  const state = 'cat /srv/hooks /srv/pid; ls -d /proc/$(cat /srv/pid)';
  const workload = await host.run(state);
  await old.grigri('migrate', `${old.name}:hosts`, fresh.name);
  await there.until('the model to be there', async () =>
    (await fresh.grigri('models', '-c', fresh.name, '--format', 'json')).includes('"admin/hosts"'),
  );
  await there.untilUnit('keeper/0', { workload: 'active', agent: 'idle' });
  expect(await host.run(state)).toBe(workload);
  await there.grigri('config', 'keeper', 'word=second');
  await there.untilUnit('keeper/0', { message: 'word second', agent: 'idle' });
});

test('the new controller gives the host back as it was, when the old one is gone', async () => {
  await old.grigri('destroy-controller', '--no-prompt', '--destroy-all-models', old.name);
  await there.grigri('remove-application', '--no-prompt', 'keeper');
  await there.until('the unit to go', async () => !('keeper' in (await there.status()).applications));
  await fresh.grigri('destroy-model', '--no-prompt', `${fresh.name}:hosts`);
  await fresh.within(() => Promise.resolve(JSON.stringify(host.files()) === JSON.stringify(before)));
  expect(host.files()).toEqual(before);
});
