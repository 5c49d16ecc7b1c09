import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testCli } from '../testing/cli.ts';
import { cli, controller, prepareCli, writeCharm, outputOf as ok } from '../testing/cli-world.ts';

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

describe('models', () => {
  test('add-model adds and selects a model, and prints its cloud', async () => {
    const run = await cli.run('add-model extra');
    expect(run).toEqual({
      code: 0,
      stdout: '',
      stderr: "Added 'extra' model on test/default with credential 'default' for user 'admin'\n",
    });
    expect(await ok('switch')).toBe('ctrl:admin/extra\n');
  });

  test('switch selects by model, controller, and both', async () => {
    expect((await cli.run('switch shop')).stderr).toBe('ctrl:admin/extra -> ctrl:admin/shop\n');
    expect((await cli.run('switch ctrl:shop')).stderr).toBe('ctrl:admin/shop (no change)\n');
    expect((await cli.run('switch nowhere')).stderr).toMatch(
      /^ERROR "nowhere" is neither a controller nor a model/,
    );
    expect(await cli.run('switch', { env: { JUJU_MODEL: 'ctrl:other' } })).toMatchObject({
      stdout: 'ctrl:other\n',
    });
    expect((await cli.run('switch shop', { env: { JUJU_MODEL: 'x' } })).stderr).toContain(
      'JUJU_MODEL is overriding the model',
    );
  });

  test('models lists all models and marks the current one', async () => {
    expect((await ok('models')).replace(/(available +1) +\d+ /, '$1  CORES ')).toMatchInlineSnapshot(`
      "Controller: ctrl

      Model       Cloud/Region  Type       Status     Machines  Cores  Units  Access  Last connection
      controller  test/default  simulated  available         1  CORES      -  admin   never connected
      extra       test/default  simulated  available         0      -      -  admin   never connected
      shop*       test/default  simulated  available         0      -      -  admin   never connected
      "
    `);
    expect(await json('models')).toMatchObject({
      models: [
        { name: 'admin/controller', 'is-controller': true },
        { name: 'admin/extra' },
        { name: 'admin/shop', 'short-name': 'shop', 'controller-name': 'ctrl', life: 'alive' },
      ],
      'current-model': 'shop',
    });
  });

  test('show-model describes one model', async () => {
    expect(await json('show-model')).toMatchObject({
      shop: { name: 'admin/shop', cloud: 'test', region: 'default', users: { admin: { access: 'admin' } } },
    });
  });

  test('the flag -m accepts controller:owner/model and UUIDs, and its errors name what was not found', async () => {
    const uuid = (await cli.store.models('ctrl'))['admin/extra']!.uuid;
    for (const name of ['ctrl:extra', 'ctrl:admin/extra', 'admin/extra', uuid]) {
      expect(await json(`status -m ${name}`), name).toMatchObject({ model: { name: 'extra' } });
    }
    expect(await cli.run('status -m nope')).toMatchObject({
      code: 1,
      stderr: 'ERROR model ctrl:admin/nope not found\n',
    });
    expect(await cli.run('status -m other:x')).toMatchObject({
      code: 1,
      stderr: 'ERROR controller other not found\n',
    });
  });

  test('destroy-model asks for the name, waits until the model is gone, and forgets it', async () => {
    expect(await cli.run('destroy-model extra', { input: 'shop\n' })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/ERROR model destruction: aborted\n$/) as string,
    });
    const { code, stderr } = await cli.run('destroy-model extra', { input: 'extra\n' });
    expect(code).toBe(0);
    expect(stderr).toContain('Destroying model\n');
    expect(stderr).toMatch(/Model destroyed\.\n$/);
    expect(await cli.store.models('ctrl')).not.toHaveProperty('admin/extra');
    expect(await cli.store.currentModel('ctrl')).toBe('admin/shop');
  });

  test('model-config sets, prints and resets settings', async () => {
    await ok('model-config update-status-hook-interval=2m');
    expect(await ok('model-config update-status-hook-interval')).toBe('2m\n');
    expect(await json('model-config')).toMatchObject({
      'update-status-hook-interval': { Value: '2m', Source: 'model' },
    });
    await ok('model-config --reset update-status-hook-interval');
    expect(await ok('model-config update-status-hook-interval')).toBe('5m\n');
    expect(await cli.run('model-config no-such-key')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/key "no-such-key" not found in model "admin\/[a-z0-9-]+"/) as string,
    });
  });

  test('model-config keeps numbers and booleans as texts in settings of type text, and parses other settings', async () => {
    await ok('model-config extra-info=1.0 apt-mirror=true net-bond-reconfigure-delay=20 test-mode=true');
    expect(await json('model-config')).toMatchObject({
      'extra-info': { Value: '1.0' },
      'apt-mirror': { Value: 'true' },
      'net-bond-reconfigure-delay': { Value: 20 },
      'test-mode': { Value: true },
    });
    await ok('model-config --reset extra-info,apt-mirror,net-bond-reconfigure-delay,test-mode');
    await ok('model-defaults extra-info=007');
    await ok('add-model --no-switch texts --config syslog-host=1e3');
    expect(await json('model-config -m texts')).toMatchObject({
      'extra-info': { Value: '007' },
      'syslog-host': { Value: '1e3' },
    });
    await ok('model-defaults --reset extra-info');
    await ok('destroy-model --no-prompt texts');
  });

  test('model-config shows user data only when its key is requested', async () => {
    const userData = 'packages: [jq]';
    await ok(['model-config', `cloudinit-userdata=${userData}`]);
    expect(await ok('model-config')).toMatch(
      /^cloudinit-userdata +model +<value set, see grigri model-config cloudinit-userdata>$/m,
    );
    expect(await ok('model-config cloudinit-userdata')).toBe(`${userData}\n`);
    expect(await json('model-config')).toMatchObject({
      'cloudinit-userdata': { Value: userData, Source: 'model' },
    });
    await ok('model-config --reset cloudinit-userdata');
    expect(await ok('model-config')).toMatch(/^cloudinit-userdata +default +""$/m);
  });

  test('model-constraints are set and shown', async () => {
    await ok('set-model-constraints mem=2G cores=2');
    expect(await ok('model-constraints')).toBe('cores=2 mem=2048M\n');
    expect(await json('model-constraints')).toEqual({ mem: 2048, cores: 2 });
    await ok('set-model-constraints');
    expect(await cli.run('set-model-constraints size=3')).toMatchObject({
      code: 1,
      stderr: 'ERROR unknown constraint "size"\n',
    });
  });
});

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
      Deploying "store" from local charm "kv", revision 0
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
      stderr: '\nNothing matched specified filters.\n',
    });
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
    expect(await cli.run('wait-for model shop')).toMatchObject({ code: 0 });
    expect(
      await ok(['wait-for', 'application', 'web', '--query=charm!="x" && life=="alive" || name==z']),
    ).toBe('');
    const run = await cli.run('wait-for unit web/0 --timeout 1ms');
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(
      /^waiting for unit "web\/0": life alive, .*\nERROR timed out waiting for unit "web\/0"/,
    );
    expect(await cli.run(['wait-for', 'unit', 'web/0', '--query', 'nonsense'])).toMatchObject({ code: 2 });
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

describe('machines', () => {
  test('machines are added, listed, shown and removed', async () => {
    const run = await cli.run('add-machine -n 2 --constraints mem=4G');
    expect(run.stderr).toMatch(/^created machine (\d+)\ncreated machine (\d+)\n$/);
    const [, id] = /machine (\d+)/.exec(run.stderr)!;
    expect(await json(`show-machine ${id}`)).toMatchObject({
      model: 'shop',
      machines: { [id!]: { base: { name: 'ubuntu' }, constraints: 'mem=4096M' } },
    });
    expect(await ok('machines')).toMatch(/^Machine +State +Address +Inst id +Base +AZ +Message\n/);
    expect(await cli.run(`destroy-machine ${id} --no-prompt`)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(new RegExp(`^will remove machine ${id}\\n`)) as unknown,
    });
    expect(await cli.run('add-machine 5')).toMatchObject({
      code: 2,
      stderr: 'ERROR machine-id cannot be specified when adding machines\n',
    });
    for (const missing of ['99', '5/lxd/9'])
      expect(await cli.run(`show-machine ${missing}`)).toMatchObject({
        code: 1,
        stderr: `ERROR machine ${missing} not found\n`,
      });
    expect(await cli.run('ssh 99')).toMatchObject({ code: 1, stderr: 'ERROR machine 99 not found\n' });
  });
});

describe('controllers', () => {
  test('controllers are listed from the records and refreshed', async () => {
    expect(await json('controllers')).toMatchObject({
      controllers: { ctrl: { user: 'admin', cloud: 'test', 'current-model': 'shop' } },
      'current-controller': 'ctrl',
    });
    expect(await ok('controllers --refresh')).toMatch(/ctrl\* +shop +admin +superuser +test\/default +2 /);
    expect(await json('show-controller')).toMatchObject({
      ctrl: { details: { cloud: 'test' }, account: { user: 'admin', access: 'superuser' } },
    });
    expect(await ok('show-controller')).not.toContain(controller.password);
    expect(await ok('whoami')).toBe('Controller:  ctrl\nModel:       shop\nUser:        admin\n');
  });

  test('the error for a controller that does not answer names it and its addresses', async () => {
    await cli.store.addController(
      'dead',
      { uuid: 'x', 'api-endpoints': ['127.0.0.1:1'], 'ca-cert': controller.caCert, cloud: 'test' },
      { user: 'admin', password: 'x' },
    );
    const run = await cli.run('models -c dead');
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/^ERROR controller "dead" cannot be reached: .*127\.0\.0\.1:1/);
    expect((await cli.run('destroy-controller dead --no-prompt')).stderr).toContain(
      'grigri kill-controller dead',
    );
    expect((await cli.run('kill-controller dead --no-prompt')).stderr).toContain(
      'run "grigri unregister dead" to remove its connection details',
    );
    expect(await cli.run('unregister dead', { input: 'no\n' })).toMatchObject({ code: 1 });
    expect(await cli.run('unregister dead --no-prompt')).toMatchObject({ code: 0 });
    expect(Object.keys(await cli.store.controllers())).toEqual(['ctrl']);
  });

  test('destroy-controller lists the models that block it', async () => {
    const run = await cli.run('destroy-controller ctrl --no-prompt');
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(
      'run this command again with the --destroy-all-models\noption.\n\nModels:\n\tadmin/shop (alive)',
    );
  });
});

describe('completion', () => {
  const words = async (...line: string[]): Promise<string[]> =>
    (await ok(['__complete', '--', ...line])).split('\n').filter(Boolean);
  test('completion offers commands, flags and entities of the model', async () => {
    expect(await words('add-u')).toEqual(['add-unit']);
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

describe('without a controller', () => {
  test('commands without a controller say how to get one', async () => {
    using bare = testCli();
    expect(await bare.run('status')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^ERROR No controllers registered\.\n\n.*grigri bootstrap/) as string,
    });
    expect(await bare.run('controllers')).toMatchObject({ code: 0, stdout: '' });
    expect(JSON.parse((await bare.run('controllers --format json')).stdout)).toEqual({
      controllers: {},
      'current-controller': '',
    });
    expect(await bare.run('whoami')).toMatchObject({ code: 0, stdout: '' });
  });

  test('the command line is checked before a controller is required', async () => {
    using bare = testCli();
    expect(await bare.run('deploi')).toMatchObject({
      code: 2,
      stderr:
        'ERROR grigri: "deploi" is not a grigri command. See "grigri --help".\n\nDid you mean:\n\tdeploy\n',
    });
    expect(await bare.run('status --bogus')).toMatchObject({
      code: 2,
      stderr: 'ERROR option provided but not defined: --bogus\n',
    });
    expect(await bare.run('status --format toml')).toMatchObject({ code: 2 });
    expect(await bare.run('version')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^3\.6\.28-\w+-\w+\n$/) as string,
    });
    const { stdout } = await bare.run('version');
    for (const line of ['--version', '--version status', '--quiet --version'])
      expect(await bare.run(line)).toMatchObject({ code: 0, stdout });
    expect(await bare.run('status --version')).toMatchObject({ code: 2 });
    expect(JSON.parse((await bare.run('version --all --format json')).stdout)).toMatchObject({
      version: expect.stringMatching(/^3\.6\.28/) as string,
      grigri: '0.1.0',
    });
    expect((await bare.run('')).stdout).toContain('bootstrap');
    expect((await bare.run('deploy --help')).stdout).toMatch(
      /^Usage: grigri deploy \[options\] <charm or bundle>/,
    );
    expect((await bare.run('help commands')).stdout).toMatch(/^add-relation +Alias for 'integrate'\./m);
  });
});
