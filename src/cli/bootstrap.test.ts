/** Life of a controller on this host, in its own process: bootstrap, reconnection and loss. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLocalProvider } from '../providers/clouds/local/index.ts';
import { testCli, type TestCli } from '../testing/cli.ts';
import { daemonPid } from './daemon.ts';

let cli: TestCli;
let dataDir: string;
const providers = { providers: () => Promise.resolve(new Map([['local', createLocalProvider()]])) };
const run = (line: string, input = '') => cli.run(line, { ...providers, input });
const bootstrap = (more = '') =>
  run(`bootstrap local mine --data-dir ${dataDir} --config api-port=0 ${more}`);

beforeEach(() => {
  cli = testCli();
  dataDir = join(cli.folder, 'data');
});
afterEach(async () => {
  await run('kill-controller mine --no-prompt');
  cli[Symbol.dispose]();
});

test('bootstrap makes a controller that clients find, and destroy-controller leaves nothing behind', async () => {
  const bootstrapRun = await bootstrap('--add-model shop --force');
  expect(bootstrapRun, bootstrapRun.stderr).toMatchObject({ code: 0, stdout: '' });
  expect(bootstrapRun.stderr).toContain('Creating Juju controller "mine" on local/localhost\n');
  expect(bootstrapRun.stderr).toContain('Bootstrap complete, controller "mine" is now available\n');
  expect(JSON.parse((await run('status --format json')).stdout)).toMatchObject({
    model: { name: 'shop', controller: 'mine', cloud: 'local' },
  });
  for (const file of [
    'controllers.yaml',
    'accounts.yaml',
    'models.yaml',
    'bootstrap-config.yaml',
    'cookies/mine.json',
    'ssh/juju_id_rsa.pub',
  ]) {
    expect(existsSync(join(cli.folder, 'juju', file)), file).toBe(true);
  }
  const pid = await daemonPid(dataDir);
  expect(pid).toBeGreaterThan(0);

  expect(await bootstrap()).toEqual({
    code: 1,
    stdout: '',
    stderr: 'ERROR controller "mine" already exists\n',
  });
  expect(await daemonPid(dataDir)).toBe(pid);

  expect(await run('destroy-controller mine', 'other\n')).toMatchObject({ code: 1 });
  const destroyRun = await run('destroy-controller mine --destroy-all-models', 'mine\n');
  expect(destroyRun, destroyRun.stderr).toMatchObject({ code: 0 });
  expect(existsSync(dataDir)).toBe(false);
  // The end of the controller may be seen a turn later by this process, its parent.
  await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
  expect(JSON.parse((await run('controllers --format json')).stdout)).toEqual({
    controllers: {},
    'current-controller': '',
  });
});

test('kill-controller removes a controller that can no longer start', async () => {
  await bootstrap();
  process.kill((await daemonPid(dataDir))!, 'SIGKILL');
  writeFileSync(join(dataDir, 'store.db'), 'garbage '.repeat(1000));
  const killed = await run('kill-controller mine --no-prompt');
  expect(killed, killed.stderr).toMatchObject({ code: 0 });
  expect(killed.stderr).toContain('Destroying through provider');
  expect(existsSync(dataDir)).toBe(false);
});

test('a killed controller is started once by the next commands', async () => {
  await bootstrap('--add-model shop --force');
  process.kill((await daemonPid(dataDir))!, 'SIGKILL');
  const runs = await Promise.all([run('status -m shop'), run('models')]);
  for (const one of runs) expect(one, one.stderr).toMatchObject({ code: 0 });
  expect(runs.filter((one) => one.stderr.includes('is not running: starting it on this host'))).toHaveLength(
    1,
  );
});

test('the controller’s machine is placed as requested, and its own constraints override those of its model', async () => {
  const bootstrapRun = await cli.run(
    [
      ...`bootstrap local mine --data-dir ${dataDir} --config api-port=0 --config zones=z1,z2`.split(' '),
      '--to=zone=z2',
      '--add-model=shop',
      '--constraints=mem=2G tags=a',
      '--bootstrap-constraints=mem=4G cores=1',
    ],
    providers,
  );
  expect(bootstrapRun, bootstrapRun.stderr).toMatchObject({ code: 0 });
  expect(bootstrapRun.stderr).toContain('WARNING unsupported constraints: tags\n');
  for (const model of ['controller', 'shop'])
    expect((await run(`model-constraints -m ${model}`)).stdout).toBe('mem=2048M tags=a\n');
  expect(JSON.parse((await run('show-machine 0 -m controller --format json')).stdout)).toMatchObject({
    machines: { 0: { constraints: 'cores=1 mem=4096M tags=a' } },
  });
});

test('model defaults of bootstrap apply to later models unless overridden, JUJU_LOGGING_CONFIG to the controller’s model only, and the credential is an empty one', async () => {
  const flags =
    '--config api-port=0 --model-default update-status-hook-interval=11m --model-default zones=z1';
  const bootstrapRun = await cli.run(`bootstrap local mine --data-dir ${dataDir} ${flags}`.split(' '), {
    ...providers,
    env: { JUJU_LOGGING_CONFIG: '<root>=DEBUG' },
  });
  expect(bootstrapRun, bootstrapRun.stderr).toMatchObject({ code: 0 });
  await run('add-model shop --no-switch');
  await run('add-model other --no-switch --config update-status-hook-interval=7m');
  const interval = async (model: string): Promise<string> =>
    (await run(`model-config -m ${model} update-status-hook-interval`)).stdout;
  const levels = async (model: string): Promise<string> =>
    (await run(`model-config -m ${model} logging-config`)).stdout;
  expect(await levels('controller')).toBe('<root>=DEBUG\n');
  expect(await levels('other')).toBe('<root>=INFO\n');
  expect(await interval('controller')).toBe('11m\n');
  expect(await interval('shop')).toBe('11m\n');
  expect(await interval('other')).toBe('7m\n');
  for (const model of ['controller', 'shop'])
    expect(JSON.parse((await run(`show-model ${model} --format json`)).stdout)).toMatchObject({
      [model]: { credential: { name: 'default', owner: 'admin', cloud: 'local' } },
    });
});

test('model defaults that are set later apply to later models, and are shown with their source', async () => {
  await bootstrap('');
  await run('add-model early --no-switch');
  const set = (more: string): Promise<string> => run(`model-defaults ${more}`).then(({ stderr }) => stderr);
  expect(await set('update-status-hook-interval=11m num-provision-workers=9')).toBe('');
  expect(await set('--region localhost update-status-hook-interval=12m colour=red')).toBe(
    'WARNING key "colour" is not defined in the known model configuration: possible misspelling\n',
  );
  await run('add-model late --no-switch');
  const config = async (model: string): Promise<unknown> => {
    const settings = JSON.parse((await run(`model-config -m ${model} --format json`)).stdout) as Record<
      string,
      object
    >;
    return ['update-status-hook-interval', 'num-provision-workers', 'colour'].map((key) => settings[key]);
  };
  expect(await config('early')).toEqual([
    { Value: '5m', Source: 'default' },
    { Value: 16, Source: 'default' },
    undefined,
  ]);
  expect(await config('late')).toEqual([
    { Value: '12m', Source: 'region' },
    { Value: 9, Source: 'controller' },
    { Value: 'red', Source: 'region' },
  ]);
  expect((await run('model-defaults update-status-hook-interval')).stdout).toBe(
    [
      'Attribute                    Default  Controller',
      'update-status-hook-interval  5m       11m',
      '  localhost                  12m      -',
      '',
    ].join('\n'),
  );
  expect(JSON.parse((await run('model-defaults --region localhost --format json')).stdout)).toEqual({
    'update-status-hook-interval': {
      default: '5m',
      controller: '11m',
      regions: [{ name: 'localhost', value: '12m' }],
    },
    colour: { regions: [{ name: 'localhost', value: 'red' }] },
  });

  // A reset key of a model gets the value that a new model would have.
  await run('model-config -m early update-status-hook-interval=7m');
  await run('model-config -m early --reset update-status-hook-interval');
  expect(await config('early')).toMatchObject([{ Value: '12m', Source: 'region' }, {}, undefined]);
  expect(await set('--region localhost --reset update-status-hook-interval,colour')).toBe('');
  expect(await config('late')).toMatchObject([{ Value: '12m', Source: 'model' }, {}, { Source: 'model' }]);
  expect(await run('model-defaults --region localhost colour')).toMatchObject({
    code: 1,
    stderr: 'ERROR there are no default model values for "colour" in region "localhost"\n',
  });
  for (const [flags, message] of [
    ['agent-version=3.0.0', 'agent-version cannot have a default value'],
    ['automatically-retry-hooks=maybe', 'automatically-retry-hooks: expected bool, got "maybe"'],
    ['http-proxy=a juju-http-proxy=b', 'cannot specify both legacy proxy values and juju proxy values'],
    ['--region mars colour=red', '"mars" is neither a cloud supported'],
    ['colour=red --reset colour', 'key "colour" cannot be both set and reset in the same command'],
  ])
    expect(await set(flags!)).toContain(`ERROR ${message}`);
});

test.each([
  ['--to zone=z9', /z9/],
  ['--to 0', /unsupported bootstrap placement directive "0"/],
  ['--to lxd', /unsupported bootstrap placement directive "lxd"/],
  ['--constraints size=3', /unknown constraint "size"/],
  ['--bootstrap-constraints arch=s390x', /arch/],
])('bootstrap %s is refused before anything is made', async (flags, message) => {
  const refused = await bootstrap(flags);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(message) as string });
  expect(existsSync(dataDir)).toBe(false);
});

test('a failed bootstrap leaves nothing behind and prints the reason', async () => {
  const bad = await run(`bootstrap local mine --data-dir ${dataDir} --config api-port=99999`);
  expect(bad.code).toBe(1);
  expect(bad.stderr).toMatch(/^Creating .*\nERROR /);
  expect(existsSync(dataDir)).toBe(false);
  expect(Object.keys(await cli.store.controllers())).toEqual([]);
});

test('bootstrap does not touch foreign data', async () => {
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, 'controller.json'), '{}');
  expect(await bootstrap()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not empty; choose another --data-dir') as string,
  });
  expect(readFileSync(join(dataDir, 'controller.json'), 'utf8')).toBe('{}');
});

test.each([
  ['bootstrap', 2, 'no cloud specified'],
  ['bootstrap nowhere', 1, 'unknown cloud "nowhere"'],
  ['bootstrap aws', 1, 'cloud "aws" has the unknown type "ec2"'],
  ['bootstrap local/mars', 1, 'region "mars" for cloud "local" not valid'],
  ['bootstrap local -x', 2, 'option provided but not defined: -x'],
  ['bootstrap local ../evil', 2, '"../evil" is not a valid controller name'],
])('%s fails', async (line, code, message) => {
  expect(await run(line)).toMatchObject({ code, stderr: expect.stringContaining(message) as string });
});
