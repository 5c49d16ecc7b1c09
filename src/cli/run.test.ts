import { describe, expect, test } from 'vitest';
import { testCli } from '../testing/cli.ts';
import { cli, controller, prepareCli, outputOf as ok } from '../testing/cli-world.ts';

prepareCli(async () => void (await cli.run('add-model shop')));

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
      /^ERROR "nowhere" is not the name of a model or controller/,
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
      /^cloudinit-userdata +model +<value set, see juju model-config cloudinit-userdata>$/m,
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
      ctrl: {
        details: { cloud: 'test', uuid: expect.any(String) },
        'controller-machines': { '0': { 'instance-id': 'localhost' } },
        models: { 'admin/shop': { uuid: expect.any(String), 'machine-count': expect.any(Number) } },
        account: { user: 'admin', access: 'superuser' },
      },
    });
    const yaml = await ok('show-controller');
    expect(yaml).toMatch(/^ {4}uuid: (.+)\n {4}controller-uuid: \1$/m);
    expect(yaml.match(/^ {6}model-uuid: /gm)).toHaveLength(yaml.match(/^ {6}uuid: /gm)!.length);
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

test.each([
  ['status -o none/x', 'open .*/none/x: no such file or directory'],
  ['status -o .', 'open .*: is a directory'],
  ['model-config --file .', 'cannot read .: is a directory'],
  ['model-config --file none', 'no such file: none'],
])('%s says which file cannot be used, and why', async (line, message) => {
  const { code, stderr } = await cli.run(line);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(`^ERROR ${message}\n$`) });
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
