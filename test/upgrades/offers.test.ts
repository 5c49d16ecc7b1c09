/**
 * A relation between models of two controllers that the previous release has made: it goes on when this build follows
 * in either controller, and when either model then goes to another one. Each test goes on where the one before ended.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { untilModelLeft } from '../controller-waits.ts';
import { startTwoWorlds, type OneSide, type TwoWorlds } from '../two-worlds.ts';
import { root, startWorld, type ModelWorld, type World } from '../world.ts';
import { upgradeOf } from './agents-follow.ts';
import { previousRelease } from './release.ts';

const previous = previousRelease();
const dir = mkdtempSync(join(tmpdir(), 'grigri-offers-'));
/** File with the folder of the program that commands, and the controllers that they start, are of. */
const program = join(dir, 'program');
const argv = ['/bin/sh', '-c', `exec "$(cat ${program})/bin/grigri" "$@"`, 'grigri'] as const;

/** Charm that tells its word to the other side, and shows the other side's, and whether the relation was ever broken. */
const teller = (endpoint: string, role: string) => ({
  metadata: `${role}:\n  ${endpoint}: {interface: sql}\n`,
  config: 'options:\n  word: {type: string, default: first, description: Goes to the other side.}\n',
  hooks: {
    start: 'status-set active ready',
    'config-changed': `
      for relation in $(relation-ids ${endpoint}); do relation-set -r $relation word=$(config-get word); done`,
    [`${endpoint}-relation-joined`]: 'relation-set word=$(config-get word)',
    [`${endpoint}-relation-changed`]: 'status-set active "word $(relation-get word)$(state-get broken)"',
    [`${endpoint}-relation-broken`]: 'state-set broken=", broken before"',
  },
});

let two: TwoWorlds;
let third: World | undefined;
/** The models, where they are now. */
let data: ModelWorld;
let shop: ModelWorld;

beforeAll(async () => {
  if (previous === undefined) return;
  writeFileSync(program, previous);
  const charms = { keeper: teller('server', 'provides'), reader: teller('db', 'requires') };
  two = await startTwoWorlds('offers', charms, { argv });
  ({ data, shop } = two);
  await two.relate();
  await expectToTell('old');
});
afterAll(async () => {
  const left = [...((await third?.end()) ?? []), ...((await two?.end()) ?? [])];
  rmSync(dir, { recursive: true });
  expect(left).toEqual([]);
});

/** Sets another word on each side, and waits until the other side shows it. */
async function expectToTell(word: string): Promise<void> {
  await data.grigri('config', 'keeper', `word=${word}-of-keeper`);
  await shop.grigri('config', 'reader', `word=${word}-of-reader`);
  await shop.untilUnit('reader/0', { message: `word ${word}-of-keeper`, agent: 'idle' });
  await data.untilUnit('keeper/0', { message: `word ${word}-of-reader`, agent: 'idle' });
}

/** Kills the controller and starts it again with this build, whose program its agents get, too. */
async function upgrade(side: OneSide): Promise<void> {
  side.world.killController();
  writeFileSync(program, root);
  await side.until('the agents to have the new program', async () =>
    (await upgradeOf(side)).includes('no upgrades available'),
  );
}

/** Moves the model `work` of a controller to another one, which has none of that name. Returns it there. */
async function migrate(from: World, to: World): Promise<ModelWorld> {
  await from.grigri('migrate', `${from.name}:work`, to.name);
  await untilModelLeft(from, 'work');
  return to.inModel('work');
}

describe.runIf(previous)('a relation of the previous release', () => {
  test('goes on when this build follows where the offer is', async () => {
    await upgrade(two.data);
    await expectToTell('new-keeper');
  });

  test('goes on when this build follows where the offer is consumed', async () => {
    await upgrade(two.shop);
    await expectToTell('both-new');
  });

  test('goes on when the consuming model goes to another controller', async () => {
    const own = join(dir, 'third');
    mkdirSync(own);
    const env = { JUJU_DATA: join(two.data.world.dir, '../client') };
    third = await startWorld('offers-third', { runner: { dir: own, argv, env } });
    await third.grigri('destroy-model', '--no-prompt', `${third.name}:work`);
    shop = await migrate(two.shop.world, third);
    await expectToTell('consumer-moved');
  });

  test('goes on when the offering model goes to another controller', async () => {
    data = await migrate(two.data.world, two.shop.world);
    await expectToTell('both-moved');
  });

  test('ends with its models, where they are', async () => {
    await third!.grigri('destroy-model', '--no-prompt', `${third!.name}:work`);
    const near = two.shop.world;
    await near.grigri('destroy-model', '--no-prompt', `${near.name}:work`);
  });
});
