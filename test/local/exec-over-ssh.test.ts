/** Use of juju-exec in a session on a machine, by hand. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type Ran, type World } from '../world.ts';

let world: World;
const onMachine = (command: string): Promise<Ran> => world.attempt('ssh', 'web/0', command);
const said = async (command: string): Promise<string> => {
  const { code, stdout, stderr } = await onMachine(command);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.trim();
};

beforeAll(async () => {
  world = await startWorld('exec-ssh');
  const end = 'status-set active ready';
  const web =
    'name: web\nsummary: s\ndescription: d\nrequires: {db: {interface: x}}\npeers: {ring: {interface: r}}\n';
  const db = 'name: db\nsummary: s\ndescription: d\nprovides: {server: {interface: x}}\n';
  await world.grigri('deploy', world.charm('web', { hooks: { start: end }, metadata: web }));
  const joined = 'relation-set host=h-$JUJU_UNIT_NAME';
  const hooks = { start: end, 'server-relation-joined': joined };
  await world.grigri('deploy', world.charm('db', { hooks, metadata: db }));
  await world.grigri('integrate', 'web', 'db');
  for (const unit of ['web/0', 'db/0']) await world.untilUnit(unit, { agent: 'idle', message: 'ready' });
  await world.until(
    'the relation and what db/0 says there',
    async () => (await said('juju-exec web/0 relation-get -r 1 host db/0')) === 'h-db/0',
  );
});
afterAll(async () => expect(await world?.end()).toEqual([]));

test('juju-exec runs in the context of the named or the only unit, and without a context', async () => {
  for (const words of ['web/0', '-u web/0', 'unit-web-0', '--operator web/0', '--operator=false web/0', ''])
    expect(await said(`juju-exec ${words} 'echo $JUJU_UNIT_NAME $(relation-ids db)'`), words).toBe(
      'web/0 db:1',
    );
  expect(await said(`juju-run web/0 'echo [$JUJU_HOOK_NAME\${JUJU_DISPATCH_PATH-unset}]; pwd'`)).toBe(
    '[unset]\n/var/lib/juju/agents/unit-web-0/charm',
  );
  expect(await said(`juju-exec --no-context 'echo \${JUJU_UNIT_NAME-none}; pwd'`)).toBe('none\n/');
  expect(await onMachine(`juju-exec web/0 'echo out; echo err >&2; exit 3'`)).toEqual({
    code: 3,
    stdout: 'out\n',
    stderr: 'err\n',
  });
});

test('juju-exec -r is a hook of the relation', async () => {
  const shown = `'echo $JUJU_RELATION_ID $JUJU_REMOTE_UNIT $JUJU_REMOTE_APP; relation-get host'`;
  for (const words of ['-r db:1', '-r 1', '-r db:1 --remote-unit db/0'])
    expect(await said(`juju-exec ${words} web/0 ${shown}`), words).toBe('db:1 db/0 db\nh-db/0');
  expect(await said(`juju-exec -r 1 --remote-app db web/0 'echo "$JUJU_REMOTE_UNIT-$JUJU_REMOTE_APP"'`)).toBe(
    '-db',
  );
  expect(
    await said(`juju-exec -r 0 --force-remote-unit web/0 'echo "$JUJU_RELATION $JUJU_REMOTE_UNIT"'`),
  ).toBe('ring');
  await said(`juju-exec -r 1 web/0 'relation-set by=hand'`);
  expect(await said(`juju-exec web/0 'relation-get -r 1 by web/0'`)).toBe('hand');
});

test.each<[string, number, string]>([
  ['', 2, 'missing commands'],
  ['web/0', 2, 'missing commands'],
  ['--bogus web/0 true', 2, 'option provided but not defined: --bogus'],
  ['db/0 true', 1, 'unit "db/0" not found on this machine'],
  ['-r nonsense web/0 true', 1, 'invalid value "nonsense" for option -r: invalid relation id'],
  ['-r db:9 web/0 true', 1, 'unknown relation id: 9'],
  ['-r ring:0 web/0 true', 1, 'cannot infer remote unit in empty relation 0'],
  ['-r 1 --remote-unit db/7 web/0 true', 1, 'unknown remote unit db/7; possibilities are [db/0]'],
  ['--remote-unit db/0 web/0 true', 2, 'remote unit: db/0, provided without a relation'],
  [
    "web/0 'relation-get -r 1 - db/7'",
    1,
    'cannot read settings for unit "db/7" in relation "web:db db:server": settings not found',
  ],
  ["web/0 'juju-exec true'", 2, 'juju-exec cannot be called from within a hook, have context '],
])('juju-exec %s is refused', async (words, code, why) => {
  const ran = await onMachine(`juju-exec ${words}`);
  expect(ran).toMatchObject({ code, stdout: '' });
  expect(ran.stderr).toMatch(new RegExp(`^ERROR ${why.replaceAll(/[[\](){}.*+?^$|\\]/g, '\\$&')}`));
});

test('hook tools without a context say what to do', async () => {
  const tool = await onMachine('/var/lib/juju/tools/unit-web-0/relation-ids db');
  expect(tool).toMatchObject({ code: 1, stdout: '' });
  expect(tool.stderr).toContain('juju-exec -u web/0 relation-ids');
});
