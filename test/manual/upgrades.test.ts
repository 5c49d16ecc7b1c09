/**
 * Agents on hosts that were added over ssh, one without systemd and one with it, follow a controller that takes other
 * programs; nothing of these programs is left on the hosts when they are removed.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { followed, testThatAgentsFollow } from '../upgrades/agents-follow.ts';
import { startWorld, type World } from '../world.ts';
import { makeHosts, type TestHost } from './hosts.ts';

const hosts = makeHosts();
let world: World;
let made: readonly TestHost[];
let before: Readonly<Record<string, string>>[];

beforeAll(async () => {
  [world, ...made] = await Promise.all([
    startWorld('manual-upgrades', { patienceMs: 180_000 }),
    hosts.make('plain', { init: 'minimal' }),
    hosts.make('full', { init: 'systemd' }),
  ]);
  before = made.map((host) => host.files());
  await world.grigri('model-config', 'enable-os-refresh-update=false', 'enable-os-upgrade=false');
  for (const host of made)
    await world.grigri('add-machine', `ssh:root@${host.address}`, '--private-key', hosts.key);
  const charm = world.charm('app', followed);
  await world.grigri('deploy', charm, 'app', '-n', '2', '--to', '0,1', '--base', 'debian@12');
  for (const unit of ['app/0', 'app/1']) await world.untilUnit(unit, { workload: 'active', agent: 'idle' });
});
afterAll(async () => {
  try {
    expect((await world?.end()) ?? []).toEqual([]);
  } finally {
    await hosts.end();
  }
});

testThatAgentsFollow(() => world);

test('hosts whose agents took other programs are as before when they are removed', async () => {
  await world.grigri('destroy-model', '--no-prompt', 'work');
  const files = () => made.map((host) => host.files());
  await world.within(() => Promise.resolve(JSON.stringify(files()) === JSON.stringify(before)));
  expect(files()).toEqual(before);
});
