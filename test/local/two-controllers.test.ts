/**
 * Relation between models of two controllers, each with a real machine and real hooks: settings and a secret go across,
 * and the relation is suspended, resumed, and removed from either side.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTwoWorlds, type TwoWorlds } from '../two-worlds.ts';

let two: TwoWorlds;

const keeper = {
  metadata: 'provides:\n  server: {interface: sql}\n',
  config: 'options:\n  pin: {type: string, default: one, description: Goes to the other side.}\n',
  hooks: {
    'leader-elected': 'state-set id=$(secret-add --label pw password=first)',
    start: 'status-set active ready',
    'config-changed': `
      for relation in $(relation-ids server); do relation-set -r $relation pin=$(config-get pin); done`,
    'server-relation-created': `
      secret-grant $(state-get id) -r $JUJU_RELATION_ID
      relation-set --app secret=$(state-get id)
      relation-set pin=$(config-get pin)`,
    'server-relation-changed': 'status-set active "word $(relation-get word)"',
    'server-relation-broken': 'status-set active broken',
  },
};
/** Returns the command that reads the password in capitals: a secret itself is not shown in a status. */
const password = (flags: string): string => `$(secret-get --label theirs ${flags} password | tr a-z A-Z)`;
const reader = {
  metadata: 'requires:\n  db: {interface: sql}\n',
  config: 'options:\n  word: {type: string, default: hello, description: Goes to the other side.}\n',
  hooks: {
    start: 'status-set active ready',
    'config-changed': `
      for relation in $(relation-ids db); do relation-set -r $relation word=$(config-get word); done`,
    'db-relation-joined': 'relation-set word=$(config-get word)',
    'db-relation-changed': `
      id=$(relation-get --app secret $JUJU_REMOTE_APP)
      [ -n "$id" ] || exit 0
      secret-get $id --label theirs >/dev/null
      status-set active "pin $(relation-get pin sql/0) password ${password('')}"`,
    'secret-changed': `status-set active "${password('')}, then ${password('--refresh')}"`,
    'db-relation-broken': 'status-set active broken',
  },
};

beforeAll(async () => {
  two = await startTwoWorlds('two', { keeper, reader });
});
afterAll(async () => expect((await two?.end()) ?? []).toEqual([]));

/** Waits until the units show this, each as received from the other side. */
async function say(ofReader: string, ofKeeper: string): Promise<void> {
  await two.shop.untilUnit('reader/0', { message: ofReader, agent: 'idle' });
  await two.data.untilUnit('keeper/0', { message: ofKeeper, agent: 'idle' });
}

test('settings of a relation go both ways, and a secret that is granted over the offer is read, and read anew', async () => {
  const { data, shop } = two;
  await two.relate();
  await say('pin one password FIRST', 'word hello');
  await data.grigri('config', 'keeper', 'pin=two');
  await shop.grigri('config', 'reader', 'word=bye');
  await say('pin two password FIRST', 'word bye');
  await data.grigri('exec', '--unit', 'keeper/0', '--', 'secret-set $(state-get id) password=second');
  await say('FIRST, then SECOND', 'word bye');
});

test('a relation is suspended and resumed where the offer is', async () => {
  const { data } = two;
  const id = await two.joined();
  await data.grigri('suspend-relation', id, '--message', 'maintenance');
  await say('broken', 'broken');
  await data.until('the suspension', async () => (await two.uses())[id] === 'suspended');
  await data.grigri('resume-relation', id);
  await say('pin two password SECOND', 'word bye');
  expect(await two.joined()).toBe(id);
});

test('a relation is removed from either side, and the SAAS and the offer after it', async () => {
  const { data, shop } = two;
  await shop.grigri('remove-relation', 'reader', 'sql');
  await say('broken', 'broken');
  await two.apart();
  const id = await two.relate();
  await say('pin two password SECOND', 'word bye');
  await data.grigri('remove-relation', id);
  await say('broken', 'broken');
  await two.apart();
  await shop.grigri('remove-saas', 'sql');
  await data.grigri('remove-offer', 'sql', '--no-prompt');
  expect(await shop.grigri('status')).not.toContain('SAAS');
});
