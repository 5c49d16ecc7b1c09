/**
 * Charms' and users' secrets on real machines, by real hooks: granted, changed, tracked, obsolete, and nowhere in
 * clear.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { namesIn, textOf } from '../../src/testing/host-files.ts';
import { startWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld('secrets');
});
afterAll(async () => expect(await world.end()).toEqual([]));

const keeper = {
  metadata: 'provides:\n  server: {interface: sql}\n',
  hooks: {
    'leader-elected': 'state-set id=$(secret-add --label pw --rotate yearly password=first-$(echo need)le)',
    start: 'status-set active',
    'server-relation-created': `
      secret-grant $(state-get id) -r $JUJU_RELATION_ID
      relation-set --app secret=$(state-get id)`,
    'secret-remove': `
      echo "$JUJU_SECRET_ID $JUJU_SECRET_LABEL $JUJU_SECRET_REVISION" >>/root/removed
      secret-remove $JUJU_SECRET_ID --revision $JUJU_SECRET_REVISION`,
  },
};
const reader = {
  metadata: 'requires:\n  db: {interface: sql}\n',
  config: 'options:\n  token: {type: secret, description: A secret of the user.}\n',
  hooks: {
    'db-relation-changed': `
      id=$(relation-get --app secret keeper)
      [ -n "$id" ] || exit 0
      secret-get $id --label theirs password >/root/pw
      status-set active`,
    'secret-changed': `
      echo "$JUJU_SECRET_ID $JUJU_SECRET_LABEL" >>/root/changed
      secret-get --label theirs password >/root/tracked
      secret-get --label theirs --refresh password >/root/pw`,
    'config-changed': '[ -z "$(config-get token)" ] || secret-get $(config-get token) token >/root/token',
  },
};

const inside = async (unit: string, command: string): Promise<string> =>
  (await world.grigri('ssh', unit, command)).trim();
/**
 * Returns the controller's files without those of machines, which have no clear text of the controller's own, and
 * change while they are read.
 */
const filesOf = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'machines')
    .map(({ name }) => join(folder, name))
    .flatMap((path) => (namesIn(path).length > 0 ? filesOf(path) : [path]));
const untilSays = (unit: string, command: string, text: string): Promise<void> =>
  world.until(`${unit}: ${text}`, async () => (await inside(unit, command)) === text);

test('a charm’s secret is granted, read, changed and tidied up; a user’s is read by a configuration option', async () => {
  await world.grigri('deploy', world.charm('keeper', keeper));
  // The relation's hooks come before leader-elected in a new unit.
  await world.untilUnit('keeper/0', { workload: 'active', agent: 'idle' });
  await world.grigri('deploy', world.charm('reader', reader));
  await world.grigri('integrate', 'keeper', 'reader');
  await world.untilUnit('reader/0', { workload: 'active', agent: 'idle' });
  expect(await inside('reader/0', 'cat /root/pw')).toBe('first-needle');
  const shown = JSON.parse(await world.grigri('secrets', '--format', 'json')) as Record<string, object>;
  const [id = ''] = Object.keys(shown);
  expect(shown[id]).toMatchObject({ revision: 1, owner: 'keeper', label: 'pw', rotation: 'yearly' });

  await world.grigri(
    'exec',
    '--unit',
    'keeper/0',
    '--', // The script assembles the text, since the command itself is kept with its operation.
    `secret-set ${id} password=second-$(echo need)le`,
  );
  await untilSays('reader/0', 'cat /root/pw', 'second-needle');
  expect(await inside('reader/0', 'cat /root/tracked; cat /root/changed')).toBe(
    `first-needle\nsecret:${id} theirs`,
  );
  await untilSays('keeper/0', 'cat /root/removed', `secret:${id} pw 1`);

  const uri = (await world.grigri('add-secret', 'api', 'token=third-needle')).trim();
  await world.grigri('grant-secret', 'api', 'reader');
  await world.grigri('config', 'reader', `token=${uri}`);
  await untilSays('reader/0', 'cat /root/token', 'third-needle');
  await world.until('the first revision to be gone', async () => {
    const text = await world.grigri('show-secret', id, '--revisions', '--format', 'json');
    const { revisions } = (JSON.parse(text) as Record<string, { revisions: { revision: number }[] }>)[id]!;
    return revisions.length === 1 && revisions[0]!.revision === 2;
  });
  expect(await world.grigri('history')).not.toContain('needle');
  const files = filesOf(world.controllerDir);
  expect(files).not.toEqual([]);
  for (const file of files) expect(textOf(file), file).not.toMatch(/(first|second|third)-needle/);
});

test('a missing secret is reported in the words that charm libraries look for', async () => {
  const said = async (...command: string[]): Promise<string> => {
    const { stdout, stderr } = await world.attempt('exec', '--unit', 'reader/0', '--', ...command);
    return stdout + stderr;
  };
  const id = '9m4e2mr0ui3e8a215n4g';
  expect(await said('secret-get', id)).toContain(`ERROR secret "secret:${id}" not found`);
  expect(await said('secret-get', '--label', 'nothing')).toContain(
    'ERROR consumer label "nothing" not found',
  );
  expect(await said('secret-info-get', id)).toContain(`ERROR secret "${id}" not found`);
});
