/**
 * kill -9 of either of two controllers while a relation between their models is made, changes and ends: no setting made
 * meanwhile is lost, nothing stays stuck, and the offer counts the relations that exist.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDaemon } from '../../src/cli/daemon.ts';
import { partOf } from '../part.ts';
import { startTwoWorlds, type OneSide, type TwoWorlds } from '../two-worlds.ts';

const kills = partOf() === undefined ? 6 : 2;
let two: TwoWorlds;

/** Returns a charm that sends its configuration to the other side, and shows what the other side sends. */
const charm = (end: string, side: 'provides' | 'requires') => ({
  metadata: `${side}:\n  ${end}: {interface: sql}\n`,
  config: 'options:\n  n: {type: int, default: 0, description: Goes to the other side.}\n',
  hooks: {
    start: 'status-set active ready',
    'config-changed': `
      for relation in $(relation-ids ${end}); do relation-set -r $relation n=$(config-get n); done`,
    [`${end}-relation-joined`]: 'relation-set n=$(config-get n)',
    [`${end}-relation-changed`]: 'status-set active "heard $(relation-get n)"',
    [`${end}-relation-broken`]: 'status-set active broken',
  },
});

beforeAll(async () => {
  const charms = { keeper: charm('server', 'provides'), reader: charm('db', 'requires') };
  two = await startTwoWorlds('two-crash', charms, { cheap: true });
});
afterAll(async () => expect((await two?.end()) ?? []).toEqual([]));

function kill({ world }: OneSide): void {
  world.killController();
}

async function start({ world }: OneSide): Promise<void> {
  await startDaemon({ dataDir: world.controllerDir });
}

/** Waits until both units show this. */
async function say(ofReader: string, ofKeeper: string): Promise<void> {
  await two.shop.untilUnit('reader/0', { message: ofReader, agent: 'idle' });
  await two.data.untilUnit('keeper/0', { message: ofKeeper, agent: 'idle' });
}

type Units = Record<string, { data: Record<string, string> }>;
interface Shown {
  readonly 'relation-info': readonly { 'local-unit': { data: object }; 'related-units': Units }[];
}

/** Returns what a unit has set in its only relation, and what it sees of the other unit. */
async function settings(side: OneSide, unit: string): Promise<{ own: unknown; other: unknown }> {
  const shown = JSON.parse(await side.grigri('show-unit', unit, '--format', 'json')) as Record<string, Shown>;
  const [relation, ...more] = shown[unit]!['relation-info'];
  expect(more).toEqual([]);
  const others = Object.values(relation!['related-units']).map(({ data }) => data);
  expect(others).toHaveLength(1);
  return { own: relation!['local-unit'].data, other: others[0] };
}

test(`changes on both sides arrive, whichever controller is killed (${kills} times)`, async () => {
  const { data, shop } = two;
  await two.relate();
  for (let n = 1; n <= kills; n++) {
    await data.grigri('config', 'keeper', `n=${n}`);
    await shop.grigri('config', 'reader', `n=${n + 100}`);
    await sleep(Math.random() * 500);
    const victim = n % 2 === 0 ? data : shop;
    kill(victim);
    await start(victim);
  }
  await say(`heard ${kills}`, `heard ${kills + 100}`);
  await two.joined();
  const [ofKeeper, ofReader] = [await settings(data, 'keeper/0'), await settings(shop, 'reader/0')];
  expect(ofReader).toEqual({ own: ofKeeper.other, other: ofKeeper.own });
});

test('a relation that is removed while the other controller is down ends at both sides', async () => {
  const { data, shop } = two;
  kill(data);
  await shop.grigri('remove-relation', 'reader', 'sql');
  await shop.until('the removal to wait', async () =>
    (await shop.grigri('explain', 'reader', 'sql')).includes(
      'saas sql: cannot connect to external controller',
    ),
  );
  await start(data);
  await two.apart();
  await say('broken', 'broken');

  const id = await two.relate();
  await say(`heard ${kills}`, `heard ${kills + 100}`);
  kill(shop);
  await data.grigri('remove-relation', id);
  await data.until('the relation to go', async () => Object.keys(await two.uses()).length === 0);
  await start(shop);
  await two.apart();
  await say('broken', 'broken');
});

test('a SAAS and an offer are removed by force while the other controller is down', async () => {
  const { data, shop } = two;
  await two.relate();
  kill(data);
  await shop.grigri('remove-saas', 'sql', '--force', '--no-wait');
  await shop.until('the SAAS to go', async () => !(await shop.grigri('status')).includes('SAAS'));
  await start(data);
  await two.apart();

  await two.relate();
  kill(shop);
  await data.grigri('remove-offer', 'sql', '--force', '--no-prompt');
  await data.until('the offer to go', async () => !(await data.grigri('status')).includes('Offer'));
  await start(shop);
  await shop.until('the end to be heard', async () => (await shop.grigri('status')).includes('terminated'));
  await two.apart();
});
