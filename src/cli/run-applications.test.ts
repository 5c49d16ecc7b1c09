/** Commands about applications, and commands that show and await their effects. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cli, prepareCli, writeCharm, outputOf as ok } from '../testing/cli-world.ts';

prepareCli(async () => {
  await cli.run('add-model shop');
  const config =
    'options:\n  port: {type: int, default: 80, description: TCP port.}\n  motto: {type: string, description: Text.}\n';
  for (const [name, metadata] of Object.entries(charms))
    writeCharm(name, metadata, { 'config.yaml': config });
});

const charms = {
  kv: 'provides:\n  db: {interface: kv}\n',
  web: 'requires:\n  db: {interface: kv}\nprovides:\n  logs: {interface: logs}\n',
  shipper: 'subordinate: true\nrequires:\n  source: {interface: logs, scope: container}\n',
};
const json = async <T>(line: string): Promise<T> => JSON.parse(await ok(`${line} --format json`)) as T;

describe('applications', () => {
  test('deploy uploads the charm and sends its options', async () => {
    writeFileSync(join(cli.folder, 'motto.txt'), 'from a file');
    const { code, stderr } = await cli.run(
      'deploy ./kv store -n 2 --config port=81 --config motto=@motto.txt --constraints mem=1G --trust',
    );
    expect({ code, stderr }).toMatchInlineSnapshot(`
      {
        "code": 0,
        "stderr": "Located local charm "kv", revision 0
      Deploying "store" from local charm "kv", revision 0 on ubuntu@24.04/stable
      ",
      }
    `);
    expect(await json('config store')).toMatchObject({
      application: 'store',
      settings: {
        port: { value: 81, default: 80, source: 'user', type: 'int' },
        motto: { value: 'from a file' },
      },
      'application-config': { trust: { value: true } },
    });
    expect(await ok('constraints store')).toBe('mem=1024M\n');
    expect(await json('show-application store')).toMatchObject({
      store: { charm: 'kv', exposed: false, principal: true },
    });
  });

  test('deploy reads a YAML file with options of its application', async () => {
    writeFileSync(join(cli.folder, 'web.yaml'), 'web: {port: 8080}\nother: {port: 1}\n');
    await ok('deploy ./web --config web.yaml');
    expect(await ok('config web port')).toBe('8080\n');
    expect(await cli.run('deploy ./web web2 --config web.yaml')).toMatchObject({
      stderr: 'ERROR web.yaml: no settings found for application "web2"\n',
    });
  });

  test.each([
    ['deploy ./web', 1, 'cannot add application "web": application already exists'],
    ['deploy ./web w2 --to 99', 1, 'machine 99 not found'],
    ['deploy ./web w2 --config colour=red', 1, 'colour'],
    ['deploy ./web w2 --base ubuntu', 1, 'expected base string'],
    ['deploy ./web Bad', 2, 'invalid application name "Bad"'],
    ['deploy ./shipper -n 2', 2, 'cannot use --num-units or --to with subordinate application'],
    ['deploy ./nothing', 1, 'no charm was found at'],
    ['deploy web', 1, 'to deploy the local web, use ./web'],
    ['deploy mysql', 1, 'Charmhub is not supported'],
    [
      'deploy mysql --revision 9',
      1,
      'ERROR specifying a revision requires a channel for future upgrades. Please use --channel',
    ],
    ['deploy', 2, 'no charm or bundle specified'],
    ['deploy ./web a b', 2, 'unrecognized args: ["b"]'],
  ])('%s fails and leaves nothing behind', async (line, code, message) => {
    const before = await json<{ applications: object }>('status');
    const run = await cli.run(line);
    expect(run).toMatchObject({ code, stdout: '' });
    expect(run.stderr).toContain(message);
    expect(Object.keys((await json<typeof before>('status')).applications)).toEqual(
      Object.keys(before.applications),
    );
  });

  test('status shows relations, exposure and added units', async () => {
    await ok('integrate web store');
    await ok('deploy ./shipper');
    await ok('relate web:logs shipper');
    await ok('expose web --to-cidrs 10.0.0.0/8');
    await ok('add-unit web --to 0');
    const status = await json<{ applications: Record<string, unknown> }>('status');
    expect(status.applications).toMatchObject({
      web: {
        exposed: true,
        'charm-origin': 'local',
        relations: { db: [{ 'related-application': 'store', interface: 'kv', scope: 'global' }] },
        units: { 'web/0': { machine: '2' }, 'web/1': { machine: '0' } },
      },
      shipper: { 'subordinate-to': ['web'] },
    });
    expect(await ok('status --relations')).toContain(
      'store:db              web:db          kv         regular',
    );
    expect(await cli.run('status nothing-like-it')).toMatchObject({
      code: 0,
      stderr: '\nNothing matched specified filter.\n',
    });
    expect((await cli.run('status nothing-like-it 99')).stderr).toBe(
      '\nNothing matched specified filters.\n',
    );
    expect(Object.keys((await json<typeof status>('status store')).applications)).toContain('store');
    await ok('unexpose web');
    expect(await json('show-application web')).toMatchObject({ web: { exposed: false } });
    expect(await cli.run('integrate web store')).toMatchObject({ code: 1 });
  });

  test('config sets and resets options', async () => {
    await ok(['config', 'web', 'motto=a b', 'port=1']);
    expect(await ok('config web motto')).toBe('a b\n');
    await ok('config web --reset port');
    expect(await ok('config web port')).toBe('80\n');
    await ok('config web --file -', 'web:\n  port: 5\n');
    expect(await ok('config web port')).toBe('5\n');
    expect(await cli.run('config web port=x')).toMatchObject({ code: 1 });
    expect(await cli.run('config web nope')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('key "nope" not found in "web"') as string,
    });
    expect(await cli.run('config web port motto=1')).toMatchObject({
      code: 2,
      stderr: 'ERROR cannot set and retrieve values simultaneously\n',
    });
  });

  test('the flag -o writes the output to a file', async () => {
    expect(await ok('config web port -o out.txt')).toBe('');
    expect(readFileSync(join(cli.folder, 'out.txt'), 'utf8')).toBe('5\n');
  });

  test('remove-relation removes the relation', async () => {
    await ok('remove-relation web store');
    expect(await cli.run('remove-relation web store')).toMatchObject({ code: 1 });
    expect(await cli.run('remove-relation web')).toMatchObject({ code: 2 });
  });

  test('removals print what they will do and ask for confirmation', async () => {
    expect(await cli.run('remove-unit store/1 --dry-run')).toEqual({
      code: 0,
      stdout: '',
      stderr: `will remove unit store/1
- will remove machine 1 (its last unit is removed)
- will wait for machine 1 (agent to end, instance to be released)
`,
    });
    expect(await cli.run('remove-application store', { input: 'n\n' })).toMatchInlineSnapshot(`
      {
        "code": 1,
        "stderr": "WARNING This command will perform the following actions:
      will remove application store
      - will remove unit store/0
      - will remove unit store/1
      - will remove machine 1 (its last unit is removed)
      - will keep machine 0 (it has units of application "web")
      - will wait for machine 1 (agent to end, instance to be released)

      Continue [y/N]? ERROR application removal: aborted
      ",
        "stdout": "",
      }
    `);
    expect(await json('status')).toMatchObject({
      applications: { store: { units: { 'store/0': {}, 'store/1': {} } } },
    });
    expect(await cli.run('destroy-unit store/1 --no-prompt')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^will remove unit store\/1\n- will remove machine 1 /) as string,
    });
    expect(await cli.run('destroy-service nope --no-prompt')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^ERROR removing application nope failed: /) as string,
    });
    expect((await cli.run('remove-application store', { input: 'y\n' })).code).toBe(0);
    expect(await cli.run('remove-unit store')).toMatchObject({
      code: 2,
      stderr: 'ERROR invalid unit name "store"\n',
    });
    expect(await cli.run('remove-unit store/0 --no-wait')).toMatchObject({
      code: 2,
      stderr: 'ERROR --no-wait without --force not valid\n',
    });
  });

  test('resolved refuses a unit without an error', async () => {
    expect(await cli.run('resolved web/0')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('web/0') as string,
    });
    expect(await cli.run('resolved')).toMatchObject({
      code: 2,
      stderr: 'ERROR no unit or machine specified\n',
    });
  });

  test('show-unit and show-status-log describe a unit', async () => {
    expect(await json('show-unit web/0')).toMatchObject({
      'web/0': { charm: 'local:web-0', machine: '2', leader: expect.any(Boolean) as boolean },
    });
    expect(await ok('show-status-log web/0 --type workload')).toMatch(
      /^Time +Type +Status +Message\n.*workload +waiting/,
    );
    expect(await cli.run('show-status-log web/0 --type nonsense')).toMatchObject({ code: 2 });
  });
});

describe('status, wait-for and debug-log', () => {
  test('status --watch repeats the status until it is stopped', async () => {
    const stop = new AbortController();
    const shown: string[] = [];
    const stdout = {
      isTTY: false,
      isClosed: false,
      write: () => undefined,
      writeRaw(text: string) {
        if (shown.push(text) === 2) stop.abort(new Error('interrupted'));
      },
    };
    expect(await cli.run('status --watch 100ms', { stdout, signal: stop.signal })).toMatchObject({
      code: 130,
      stderr: '',
    });
    expect(shown).toHaveLength(2);
    for (const text of shown) expect(text).toMatch(/^Model +Controller/);
    expect(await cli.run('status --watch 1ms')).toMatchObject({ code: 2 });
  });

  test('status --watch ends when nobody reads it any more', async () => {
    let times = 0;
    const stdout = {
      isTTY: false,
      get isClosed() {
        return times === 2;
      },
      write: () => undefined,
      writeRaw: () => void times++,
    };
    expect(await cli.run('status --watch 100ms', { stdout })).toMatchObject({ code: 0, stderr: '' });
    expect(times).toBe(2);
  });

  test('wait-for waits until the query is true, and prints what it waits for', async () => {
    expect(await cli.run('wait-for model shop')).toEqual({
      code: 0,
      stdout: 'properties:\n  life: alive\n  status: available\n',
      stderr: 'Model "shop" is running\n',
    });
    const query =
      'charm!="x" && len(units)>0 && forEach(units, u => startsWith(u.name, "web/")) || name=="z"';
    expect(await ok(['wait-for', 'application', 'web', '--query', query])).toMatch(
      /^properties:\n {2}charm: local:web-\d+\n {2}name: web\nunits:\n {2}web\/0:\n {4}name: web\/0\n/,
    );
    expect(await cli.run(['wait-for', 'application', 'web', '--query', query, '--summary=false'])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
    const run = await cli.run('wait-for unit web/0 --timeout 1ms');
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(
      /^waiting for unit "web\/0": life alive, .*\nERROR timed out waiting for unit "web\/0"/,
    );
    expect(await cli.run(['wait-for', 'unit', 'web/0', '--query', 'life == "alive" && nam == "x"'])).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(
        'ERROR Cannot execute query: invalid identifier.\n\n1 | life == "alive" && nam == "x"\n                       ^\n\nDid you mean:\n\n    name\n\nOther possible matches:\n\n    - agent-status\n',
      ) as string,
    });
  });

  test('wait-for refuses a query that is too long in one line', async () => {
    expect(await cli.run(['wait-for', 'unit', 'web/0', '--query', 'a'.repeat(10_001)])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'ERROR condition: 10001 characters exceed the limit of 10000\n',
    });
  });

  test('debug-log prints the requested number of lines', async () => {
    const lines = (await ok('debug-log -m controller --replay --no-tail')).trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines)
      expect(line).toMatch(/^[\w-]+: \d\d:\d\d:\d\d (TRACE|DEBUG|INFO|WARNING|ERROR) [\w.-]+ ./);
    // The flags are accepted under both names that Juju has had for them. No line has a label.
    for (const s of ['', 's']) {
      expect(await ok(`debug-log -m controller --include-label${s} http --limit 2`)).toBe('');
      expect(await ok(`debug-log -m controller --exclude-label${s} http --limit 2`)).not.toBe('');
    }
    expect((await ok('debug-log -m controller --limit 1 --date --ms --utc')).trimEnd()).toMatch(
      /^[\w-]+: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} [A-Z]+ /,
    );
    expect(await cli.run('debug-log --level LOUD')).toMatchObject({ code: 2 });
    expect(await cli.run('debug-log --limit 10001')).toMatchObject({ code: 2 });
  });
});

describe('completion', () => {
  const words = async (...line: string[]): Promise<string[]> =>
    (await ok(['__complete', '--', ...line])).split('\n').filter(Boolean);
  test('completion offers commands, flags and entities of the model', async () => {
    expect(await words('add-u')).toEqual(['add-unit', 'add-user']);
    expect(await words('help', 'deplo')).toEqual(['deploy']);
    expect(await words('add-unit', '--num')).toEqual(['--num-units']);
    expect(await words('add-unit', 'w')).toEqual(['web']);
    expect(await words('add-unit', '-m', 'ctrl:s')).toEqual(['ctrl:shop']);
    expect(await words('show-unit', 'web/')).toEqual(['web/0', 'web/1']);
    expect(await words('status', '--format', 'y')).toEqual(['yaml']);
    expect(await words('status', '--format=y')).toEqual(['--format=yaml']);
    expect(await words('show-controller', '')).toEqual(['ctrl']);
    expect(await words('bogus', '')).toEqual([]);
    expect(await words('add-unit', '-m', 'nope', 'w')).toEqual([]);
  });
});
