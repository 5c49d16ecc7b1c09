/** Announcements of commands that remove something, compared with what they do. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Connection } from '../client/connection.ts';
import { createSimulatedProvider } from '../providers/clouds/simulated/index.ts';
import { knowController, testCli, type CliRun, type TestCli } from '../testing/cli.ts';
import { testController, type TestController } from '../testing/controller.ts';
import { groupLines, planLines } from './removal-plan.ts';
import { controllerLines, summary } from './teardown.ts';

let controller: TestController;
let cli: TestCli;

const charms = {
  kv: 'provides:\n  db: {interface: kv}\n',
  web: 'requires:\n  db: {interface: kv}\n',
};

beforeAll(async () => {
  controller = await testController(createSimulatedProvider());
  cli = testCli();
  await knowController(cli, controller);
  for (const [name, metadata] of Object.entries(charms)) {
    const path = join(cli.folder, name);
    mkdirSync(join(path, 'hooks'), { recursive: true });
    writeFileSync(join(path, 'hooks/install'), '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(join(path, 'metadata.yaml'), `name: ${name}\nsummary: s\ndescription: d\n${metadata}`);
  }
  for (const line of [
    'add-model shop',
    'deploy ./kv -n 2',
    'deploy ./web',
    'integrate web kv',
    'add-machine',
  ])
    await ok(line);
});
afterAll(async () => {
  cli[Symbol.dispose]();
  await controller[Symbol.asyncDispose]();
});

const ok = async (line: string | readonly string[], input?: string): Promise<CliRun> => {
  const run = await cli.run(line, input === undefined ? {} : { input });
  expect(run, run.stderr).toMatchObject({ code: 0 });
  return run;
};
/** Returns only the names of applications and machines: other parts of the status change while machines start. */
const lives = async (): Promise<unknown> => {
  const { stdout } = await ok('status --format json');
  const { applications, machines } = JSON.parse(stdout) as { applications: object; machines: object };
  return [Object.keys(applications), Object.keys(machines)];
};

describe('--dry-run', () => {
  test.each([
    ['remove-unit kv/0', ['unit', 'machine']],
    ['remove-application web', ['application', 'relation', 'machine']],
    ['remove-machine 0 --force', ['machine', 'unit']],
    ['remove-relation web kv', ['relation']],
    ['destroy-model shop', ['model', 'application', 'machine', 'unit', 'relation']],
  ])('%s tells programs what would die', async (line, kinds) => {
    const before = await lives();
    const { stdout } = await ok(`${line} --dry-run --format json`);
    const { accepted, targets } = JSON.parse(stdout) as {
      accepted: boolean;
      targets: { name: string; dies: { kind: string; names: string[] }[] }[];
    };
    expect(accepted).toBe(true);
    expect(new Set(targets.flatMap(({ dies }) => dies.map(({ kind }) => kind)))).toEqual(
      new Set(kinds.includes('application') && !kinds.includes('model') ? [...kinds, 'unit'] : kinds),
    );
    expect(await lives()).toEqual(before);
  });

  test('tells people, on stderr as Juju does', async () => {
    const { stdout, stderr } = await ok('remove-application web --dry-run --force');
    expect(stdout).toBe('');
    expect(stderr).toMatch(
      /^will remove application web\n- will remove unit web\/0\n- will remove relation web:db kv:db\n- will remove machine 2 \(its last unit goes\)\n/,
    );
    expect((await ok('remove-relation kv web --dry-run')).stderr).toBe('will remove relation web:db kv:db\n');
    expect((await ok('remove-unit kv/0 --dry-run --format yaml')).stdout).toMatch(
      /^accepted: true\ntargets:\n- name: kv\/0\n/,
    );
  });

  test.each([
    [
      'remove-machine 0',
      'ERROR removing machine 0 failed: machine 0 has unit "kv/0" assigned\nmachine 0 could be removed with --force\n',
    ],
    ['remove-unit kv/7', 'ERROR removing unit kv/7 failed: unit "kv/7" not found\n'],
    ['remove-application nope', 'ERROR removing application nope failed: application "nope" not found\n'],
    // Relations with the same endpoints are ambiguous unless both ends are named.
    ['remove-relation web web', 'ERROR no relations found: "web" requires db (kv); "web" requires db (kv)\n'],
    ['remove-relation 99', 'ERROR relation "99" not found\n'],
  ])('%s is refused, with the reason', async (line, stderr) => {
    const run = await cli.run(`${line} --dry-run`);
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toBe(stderr);
  });

  test('of several, each is told of, and one refusal is enough to fail', async () => {
    const run = await cli.run('remove-machine 3 0 --dry-run --format json');
    expect(run.code).toBe(1);
    expect(JSON.parse(run.stdout)).toMatchObject({
      accepted: false,
      targets: [
        { name: '3', dies: [{ kind: 'machine', names: ['3'] }] },
        { name: '0', error: { code: 'machine has assigned units' }, 'force-helps': true },
      ],
    });
  });

  test('of a controller tells of its models, and refuses to take them without leave', async () => {
    const refused = await cli.run('destroy-controller ctrl --dry-run');
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toMatch(/^ERROR cannot destroy controller "ctrl"\n[^]*admin\/shop \(alive\)\n$/);
    const { stderr } = await ok('destroy-controller ctrl --dry-run --destroy-all-models');
    expect(stderr).toMatch(/^will destroy model admin\/shop\n- will remove application kv\n/);
    expect(stderr).toMatch(/\nwill destroy controller ctrl\n$/);
    expect(JSON.parse((await ok('kill-controller ctrl --dry-run --format json')).stdout)).toMatchObject({
      accepted: true,
      controller: 'ctrl',
      models: [{ targets: [{ name: 'admin/shop' }] }],
    });
  });

  test('of a controller that does not answer tells of direct removal, where that can be done', async () => {
    const details = {
      uuid: 'x',
      'api-endpoints': ['127.0.0.1:1'],
      'ca-cert': controller.caCert,
      cloud: 'test',
    };
    for (const name of ['far', 'near'])
      await cli.store.addController(name, details, { user: 'admin', password: 'x' });
    expect((await cli.run('kill-controller far --dry-run')).stderr).toMatch(
      /^ERROR controller "far" was not bootstrapped from here and does not answer/,
    );
    // The folder is the default place of the controller's data.
    mkdirSync(join(cli.folder, '.local/share/grigri/near'), { recursive: true });
    expect((await ok('kill-controller near --dry-run')).stderr).toBe(
      `will end controller near, which does not answer
will remove every machine of its models directly
`,
    );
    expect(JSON.parse((await ok('kill-controller near --dry-run --format json')).stdout)).toEqual({
      accepted: true,
      controller: 'near',
      answers: false,
    });
  });

  test.each([
    ['remove-unit kv/0 --format json', '--format and --output are for --dry-run'],
    ['remove-unit kv/1 --format yaml', '--format and --output are for --dry-run'],
    ['destroy-model shop --no-wait', '--no-wait without --force not valid'],
    ['destroy-controller ctrl --no-wait', '--no-wait without --force not valid'],
    [
      'remove-unit kv/0 --dry-run --format xml',
      'invalid value "xml" for option --format: unknown format "xml"',
    ],
  ])('%s is no way to use it', async (line, message) => {
    expect(await cli.run(line)).toEqual({ code: 2, stdout: '', stderr: `ERROR ${message}\n` });
  });
});

describe('without --no-prompt', () => {
  test.each([
    ['remove-unit kv/0', 'n\n', 'unit removal'],
    ['remove-unit kv/0', '', 'unit removal'],
    ['remove-application web', 'no\n', 'application removal'],
    ['remove-machine 3', '', 'machine removal'],
    ['destroy-model shop', 'shops\n', 'model destruction'],
    ['destroy-controller ctrl --destroy-all-models', '', 'controller destruction'],
    ['kill-controller ctrl', 'y\n', 'controller destruction'],
  ])('%s does nothing when the answer is %j', async (line, input, what) => {
    const before = await lives();
    const run = await cli.run(line, { input });
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toMatch(new RegExp(`^WARNING This command will [^]*ERROR ${what}: aborted\n$`));
    expect(await lives()).toEqual(before);
  });

  test('what cannot be removed is told, and the others are asked about', async () => {
    const run = await cli.run('remove-machine 0 3', { input: 'y\n' });
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(
      /^ERROR removing machine 0 failed: .*\nWARNING This command will perform the following actions:\nwill remove machine 3\n/,
    );
    expect(run.stderr.match(/ERROR/g)).toHaveLength(1);
  });

  test('nothing is asked in a model whose mode does not want it', async () => {
    await ok('model-config mode=');
    expect((await ok('remove-unit kv/1')).stderr).toMatch(/^will remove unit kv\/1\n/);
    await ok('model-config --reset mode');
  });

  test('the end of a controller shows what goes with it', async () => {
    const run = await cli.run('destroy-controller ctrl --destroy-all-models', { input: '\n' });
    expect(run.stderr).toContain(' - 1 model will be destroyed\n  - model list: "admin/shop"\n');
  });
});

test('what force skips is a warning', async () => {
  const connection: Connection = {
    call: (facade, method) =>
      `${facade}.${method}` === 'Application.DestroyUnit'
        ? Promise.resolve({
            results: [
              { info: {}, warnings: ['removed without stop and remove hooks: kv/0'] },
              { error: { message: 'unit "kv/7" not found', code: 'not found' } },
            ],
          } as never)
        : method === 'PlanRemoval'
          ? Promise.resolve({ targets: [{ dies: [] }, { dies: [] }], keeps: [], waits: [] } as never)
          : Promise.reject(new Error(`no answer to ${facade}.${method}`)),
    login: {
      controllerTag: 'controller-c',
      modelTag: 'model-m',
      serverVersion: '3.6.28',
      servers: [],
      facades: new Map(),
    },
    closed: new Promise(() => undefined),
    close: () => Promise.resolve(),
  };
  const run = await cli.run('remove-unit kv/0 kv/7 --force --no-prompt', {
    connect: () => Promise.resolve(connection),
  });
  expect(run).toEqual({
    code: 1,
    stdout: '',
    stderr: `will remove unit kv/0
ERROR removing unit kv/7 failed: unit "kv/7" not found
WARNING removed without stop and remove hooks: kv/0
`,
  });
});

describe('many things', () => {
  const names = Array.from({ length: 100_000 }, (_, n) => `web/${n}`);
  const units = { kind: 'unit', reason: 'unit-of', why: '', names } as const;

  test('are counted, the first and the last of them named', () => {
    expect(groupLines('will remove', units)).toEqual([
      '- will remove 100,000 units: web/0, web/1, web/2 … web/99999',
    ]);
    expect(groupLines('will remove', { ...units, names: names.slice(0, 2) })).toEqual([
      '- will remove unit web/0',
      '- will remove unit web/1',
    ]);
  });

  test('are waited for as long as force lets them', () => {
    const plan = { targets: [], keeps: [], waits: [{ ...units, why: 'its hooks' }] };
    const line = (patience: Parameters<typeof planLines>[2]): string =>
      planLines(plan, () => '', patience)[0]!;
    expect(line({ force: false })).toMatch(/^- will wait for 100,000 units web/);
    expect(line({ force: true })).toMatch(/^- will wait at most 1m for 100,000 units web/);
    expect(line({ force: true, waitMs: 5000 })).toMatch(/^- will wait at most 5s for /);
    expect(line({ force: true, noWait: true })).toMatch(/^- will not wait for 100,000 units web/);
  });

  test('are waited for with what force leaves of the reason', () => {
    const line = (reason: string, patience: Parameters<typeof planLines>[2]): string => {
      const machines = { kind: 'machine', reason, why: 'all of it', names: ['1'] } as const;
      return planLines({ targets: [], keeps: [], waits: [machines] }, () => '', patience)[0]!;
    };
    expect(line('release', { force: true })).toBe('- will wait for machine 1 (all of it)');
    expect(line('release', { force: true, noWait: true })).toBe(
      '- will wait for machine 1 (instance to be released)',
    );
    expect(line('agent', { force: true, noWait: true })).toBe('- will not wait for machine 1 (all of it)');
    expect(line('failed', { force: true })).toBe('- will wait at most 1m for machine 1 (a hook has failed)');
  });
});

test('destroy-model --force waits a little longer than --timeout gives the agents', async () => {
  await ok('add-model late');
  await ok('deploy ./kv -n 100 -m late');
  await ok('destroy-model late --no-prompt --force --timeout 0s');
});

test('destroy-model prints as much as its dry run, and where the instances stay otherwise says that they go', async () => {
  await ok('add-model gone --config provisioner-harvest-mode=none');
  for (const one of ['deploy ./kv dry -n 2', 'deploy ./web drier', 'integrate drier dry', 'add-machine'])
    await ok(`${one} -m gone`);
  const isLine = (text: string): boolean => /^(- )?will (destroy|remove|keep)/.test(text);
  const planned = (await ok('destroy-model gone --force --no-wait --dry-run')).stderr
    .split('\n')
    .filter(isLine);
  expect(planned).toContain('- will remove application dry');
  expect(planned.filter((text) => text.includes('keep'))).toEqual([]);
  const asked = await cli.run('destroy-model gone --force --no-wait', { input: 'other\n' });
  expect(asked.stderr.split('\n').filter(isLine)).toEqual(planned);
  const done = (await ok('destroy-model gone --no-prompt --force --no-wait')).stderr
    .split('\n')
    .filter(isLine);
  expect(done).toEqual(planned);
});

test('the dry run of a controller tells what users have in its own model, and waits for none of that', async () => {
  for (const one of ['deploy ./kv own -n 2', 'deploy ./web ownweb', 'integrate ownweb own', 'add-machine'])
    await ok(`${one} -m controller`);
  const { machines } = JSON.parse((await ok('status -m controller --format json')).stdout) as {
    machines: object;
  };
  const ids = Object.keys(machines).filter((id) => id !== '0');
  for (const line of ['destroy-controller ctrl --destroy-all-models', 'kill-controller ctrl']) {
    const { stderr } = await ok(`${line} --dry-run`);
    const own = stderr.slice(stderr.indexOf('will destroy controller ctrl\n')).trimEnd().split('\n');
    expect(own.slice(1).sort()).toEqual(
      [
        'application own',
        'application ownweb',
        'relation ownweb:db own:db',
        'unit own/0',
        'unit own/1',
        'unit ownweb/0',
        ...ids.map((id) => `machine ${id}`),
      ]
        .map((what) => `- will remove ${what}`)
        .sort(),
    );
  }
  const { stdout } = await ok('kill-controller ctrl --dry-run --format json');
  expect(JSON.parse(stdout)).toMatchObject({
    'controller-model': { accepted: true, targets: [{ name: 'admin/controller' }], waits: [] },
  });
});

test('an older controller, which tells nothing of its own model, has a plan all the same', () => {
  expect(controllerLines('old', { models: [] }, { force: false })).toEqual(['will destroy controller old']);
  expect(summary({ models: [] })).toEqual([]);
});

test.each(['destroy-controller ctrl --destroy-all-models', 'kill-controller ctrl'])(
  '%s tells what its dry run tells before it asks',
  async (line) => {
    const planned = (await ok(`${line} --dry-run`)).stderr;
    expect(planned).toContain('will destroy model admin/shop\n');
    expect(planned).toContain('will destroy controller ctrl\n- will remove application own\n');
    const asked = await cli.run(line, { input: 'no\n' });
    const isLine = (text: string): boolean => /^(- )?will (?!be)/.test(text);
    expect(asked.stderr.split('\n').filter(isLine)).toEqual(planned.trimEnd().split('\n'));
  },
);

test('kill-controller that may not ask the controller says so, dry or not', async () => {
  const text =
    'will end controller ctrl, which is not asked\nwill remove every machine of its models directly\n';
  mkdirSync(join(cli.folder, '.local/share/grigri/ctrl'), { recursive: true });
  expect((await ok('kill-controller ctrl --timeout 0s --dry-run')).stderr).toBe(text);
  const asked = await cli.run('kill-controller ctrl --timeout 0s', { input: 'no\n' });
  expect(asked.stderr).toContain(text);
});

test.each([
  'remove-unit dry/0',
  'remove-relation drier dry',
  'remove-machine MACHINE',
  'remove-application drier',
])('%s prints as much as its dry run', async (line) => {
  await ok('add-model same');
  // The model has no instances, so that nothing changes between the two runs.
  for (const one of ['deploy ./kv dry -n 2', 'deploy ./web drier', 'integrate drier dry'])
    await ok(`${one} -m same`);
  const { stderr: added } = await ok('add-machine -m same');
  const command = `${line.replace('MACHINE', /machine (\d+)/.exec(added)![1]!)} -m same`;
  const isLine = (text: string): boolean => /^(- )?will (remove|keep)/.test(text);
  const planned = (await ok(`${command} --dry-run`)).stderr.split('\n').filter(isLine);
  const prompt = line.startsWith('remove-relation') ? '' : ' --no-prompt';
  const done = (await ok(`${command}${prompt}`)).stderr.split('\n').filter(isLine);
  expect(planned.length).toBeGreaterThan(0);
  expect(done).toEqual(planned);
  await ok('destroy-model same --no-prompt --force --no-wait');
});
