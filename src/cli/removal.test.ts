/** Announcements of commands that remove something, compared with what they do. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSimulatedProvider } from '../providers/clouds/simulated/index.ts';
import type { Provider } from '../providers/contract/provider.ts';
import { answering } from '../testing/canned-controller.ts';
import { cli, controller, prepareCli, writeCharm, succeed as ok } from '../testing/cli-world.ts';
import { groupLines, planLines } from './removal-plan.ts';
import { controllerLines, summary } from './teardown.ts';

const charms = {
  kv: 'provides:\n  db: {interface: kv}\n',
  web: 'requires:\n  db: {interface: kv}\n',
};

prepareCli(async () => {
  for (const [name, metadata] of Object.entries(charms)) writeCharm(name, metadata);
  for (const line of [
    'add-model shop',
    'deploy ./kv -n 2',
    'deploy ./web',
    'integrate web kv',
    'add-machine',
  ])
    await ok(line);
});

/** Returns only the names of applications and machines: other parts of the status change while machines start. */
const lives = async (): Promise<unknown> => {
  const { stdout } = await ok('status --format json');
  const { applications, machines } = JSON.parse(stdout) as { applications: object; machines: object };
  return [Object.keys(applications), Object.keys(machines)];
};

/** Makes the data that a stopped controller leaves, in their default place. */
function leaveData(name: string, uuid: string): void {
  const folder = join(cli.folder, '.local/share/grigri', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'controller.json'), JSON.stringify({ uuid }));
}

describe('--dry-run', () => {
  test.each([
    ['remove-unit kv/0', ['unit', 'machine']],
    ['remove-application web', ['application', 'relation', 'machine']],
    ['remove-machine 0 --force', ['machine', 'unit']],
    ['remove-relation web kv', ['relation']],
    ['destroy-model shop', ['model', 'application', 'machine', 'unit', 'relation']],
  ])('%s --dry-run lists the entities that would be removed in structured output', async (line, kinds) => {
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

  test('a dry run prints text on stderr as Juju does', async () => {
    const { stdout, stderr } = await ok('remove-application web --dry-run --force');
    expect(stdout).toBe('');
    expect(stderr).toMatch(
      /^will remove application web\n- will remove unit web\/0\n- will remove relation web:db kv:db\n- will remove machine 2 \(its last unit is removed\)\n/,
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

  test('a dry run of several names reports each of them, and fails when one is refused', async () => {
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

  test('a dry run of destroy-controller lists its models, and refuses to destroy them without the flag', async () => {
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

  test('a dry run of kill-controller announces direct removal of a controller that does not answer, where that is possible', async () => {
    const details = {
      uuid: 'x',
      'api-endpoints': ['127.0.0.1:1'],
      'ca-cert': controller.caCert,
      cloud: 'test',
    };
    for (const name of ['far', 'near'])
      await cli.store.addController(name, details, { user: 'admin', password: 'x' });
    expect((await cli.run('kill-controller far --dry-run')).stderr).toMatch(
      /^ERROR controller "far" does not answer and was not bootstrapped by this client/,
    );
    mkdirSync(join(cli.folder, '.local/share/grigri/near'), { recursive: true });
    expect((await cli.run('kill-controller near --dry-run')).code).toBe(1);
    leaveData('near', 'x');
    // A controller of this host is started before it counts as not answering.
    expect((await ok('kill-controller near --dry-run')).stderr).toBe(
      `Controller "near" is not running: starting it on this host
will stop controller near, which does not answer
will remove every machine of its models directly
`,
    );
  });

  test.each([
    ['remove-unit kv/0 --format json', '--format and --output require --dry-run'],
    ['remove-unit kv/1 --format yaml', '--format and --output require --dry-run'],
    ['destroy-model shop --no-wait', '--no-wait without --force not valid'],
    ['destroy-controller ctrl --no-wait', '--no-wait without --force not valid'],
    [
      'remove-unit kv/0 --dry-run --format xml',
      'invalid value "xml" for option --format: unknown format "xml"',
    ],
  ])('%s is a usage error', async (line, message) => {
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
  ])('%s does nothing when the confirmation is %j', async (line, input, description) => {
    const before = await lives();
    const run = await cli.run(line, { input });
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toMatch(new RegExp(`^WARNING This command will [^]*ERROR ${description}: aborted\n$`));
    expect(await lives()).toEqual(before);
  });

  test('names that cannot be removed are reported, and confirmation is asked for the others', async () => {
    const run = await cli.run('remove-machine 0 3', { input: 'y\n' });
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(
      /^ERROR removing machine 0 failed: .*\nWARNING This command will perform the following actions:\nwill remove machine 3\n/,
    );
    expect(run.stderr.match(/ERROR/g)).toHaveLength(1);
  });

  test('removals in a model without requires-prompts ask for no confirmation', async () => {
    await ok('model-config mode=');
    expect((await ok('remove-unit kv/1')).stderr).toMatch(/^will remove unit kv\/1\n/);
    await ok('model-config --reset mode');
  });

  test('destroy-controller shows what is removed with the controller', async () => {
    const run = await cli.run('destroy-controller ctrl --destroy-all-models', { input: '\n' });
    expect(run.stderr).toContain(' - 1 model will be destroyed\n  - model list: "admin/shop"\n');
  });
});

test('steps that force skips are printed as warnings', async () => {
  const controller = answering({
    'Application.DestroyUnit': () => ({
      results: [
        { info: {}, warnings: ['removed without stop and remove hooks: kv/0'] },
        { error: { message: 'unit "kv/7" not found', code: 'not found' } },
      ],
    }),
    'Lives.PlanRemoval': () => ({ targets: [{ dies: [] }, { dies: [] }], keeps: [], waits: [] }),
  });
  const run = await cli.run('remove-unit kv/0 kv/7 --force --no-prompt', controller);
  expect(run).toEqual({
    code: 1,
    stdout: '',
    stderr: `will remove unit kv/0
ERROR removing unit kv/7 failed: unit "kv/7" not found
WARNING removed without stop and remove hooks: kv/0
`,
  });
});

describe('plans with many names', () => {
  const names = Array.from({ length: 100_000 }, (_, n) => `web/${n}`);
  const units = { kind: 'unit', reason: 'unit-of', why: '', names } as const;

  test('groupLines counts many names, and prints the first ones and the last', () => {
    expect(groupLines('will remove', units)).toEqual([
      '- will remove 100,000 units: web/0, web/1, web/2 … web/99999',
    ]);
    expect(groupLines('will remove', { ...units, names: names.slice(0, 2) })).toEqual([
      '- will remove unit web/0',
      '- will remove unit web/1',
    ]);
  });

  test('planLines shows the time limit of a forced wait', () => {
    const plan = { targets: [], keeps: [], waits: [{ ...units, why: 'its hooks' }] };
    const line = (waitOptions: Parameters<typeof planLines>[2]): string =>
      planLines(plan, () => '', waitOptions)[0]!;
    expect(line({ force: false })).toMatch(/^- will wait for 100,000 units web/);
    expect(line({ force: true })).toMatch(/^- will wait at most 1m for 100,000 units web/);
    expect(line({ force: true, waitMs: 5000 })).toMatch(/^- will wait at most 5s for /);
    expect(line({ force: true, noWait: true })).toMatch(/^- will not wait for 100,000 units web/);
  });

  test('planLines shows the reason of a wait as force changes it', () => {
    const line = (reason: string, waitOptions: Parameters<typeof planLines>[2]): string => {
      const machines = { kind: 'machine', reason, why: 'all of it', names: ['1'] } as const;
      return planLines({ targets: [], keeps: [], waits: [machines] }, () => '', waitOptions)[0]!;
    };
    expect(line('release', { force: true })).toBe('- will wait for machine 1 (all of it)');
    expect(line('release', { force: true, noWait: true })).toBe(
      '- will wait for machine 1 (instance to be released)',
    );
    expect(line('agent', { force: true, noWait: true })).toBe('- will not wait for machine 1 (all of it)');
    expect(line('failed', { force: true })).toBe(
      '- will wait at most 1m for machine 1 (failed hooks are skipped)',
    );
  });
});

test('destroy-model --force waits a little longer than the --timeout for the agents', async () => {
  await ok('add-model late');
  await ok('deploy ./kv -n 100 -m late');
  await ok('destroy-model late --no-prompt --force --timeout 0s');
});

test('destroy-model prints the same lines as its dry run, and announces that retained instances are removed', async () => {
  await ok('add-model gone --config provisioner-harvest-mode=none');
  for (const one of ['deploy ./kv dry -n 2', 'deploy ./web drier', 'integrate drier dry', 'add-machine'])
    await ok(`${one} -m gone`);
  const isLine = (text: string): boolean => /^(- )?will (destroy|remove|keep)/.test(text);
  const planned = (await ok('destroy-model gone --force --no-wait --dry-run')).stderr
    .split('\n')
    .filter(isLine);
  expect(planned).toContain('- will remove application dry');
  expect(planned.filter((text) => text.includes('keep'))).toEqual([]);
  const promptedRun = await cli.run('destroy-model gone --force --no-wait', { input: 'other\n' });
  expect(promptedRun.stderr.split('\n').filter(isLine)).toEqual(planned);
  const lines = (await ok('destroy-model gone --no-prompt --force --no-wait')).stderr
    .split('\n')
    .filter(isLine);
  expect(lines).toEqual(planned);
});

test('the dry run of kill-controller lists the users’ entities in its own model without waiting for them', async () => {
  for (const one of ['deploy ./kv own -n 2', 'deploy ./web ownweb', 'integrate ownweb own', 'add-machine'])
    await ok(`${one} -m controller`);
  const { machines } = JSON.parse((await ok('status -m controller --format json')).stdout) as {
    machines: object;
  };
  const ids = Object.keys(machines).filter((id) => id !== '0');
  for (const line of ['destroy-controller ctrl --destroy-all-models', 'kill-controller ctrl']) {
    const { stderr } = await ok(`${line} --dry-run`);
    const ownLines = stderr.slice(stderr.indexOf('will destroy controller ctrl\n')).trimEnd().split('\n');
    expect(ownLines.slice(1).sort()).toEqual(
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

test('a plan of an older controller without its own model is printed', () => {
  expect(controllerLines('old', { models: [] }, { force: false })).toEqual(['will destroy controller old']);
  expect(summary({ models: [] })).toEqual([]);
});

test.each(['destroy-controller ctrl --destroy-all-models', 'kill-controller ctrl'])(
  '%s prints the lines of its dry run before it asks for confirmation',
  async (line) => {
    const planned = (await ok(`${line} --dry-run`)).stderr;
    expect(planned).toContain('will destroy model admin/shop\n');
    expect(planned).toContain('will destroy controller ctrl\n- will remove application own\n');
    const promptedRun = await cli.run(line, { input: 'no\n' });
    const isLine = (text: string): boolean => /^(- )?will (?!be)/.test(text);
    expect(promptedRun.stderr.split('\n').filter(isLine)).toEqual(planned.trimEnd().split('\n'));
  },
);

test('kill-controller --timeout 0s says that the controller is not asked, with and without --dry-run', async () => {
  const text =
    'will stop controller ctrl, which is not asked\nwill remove every machine of its models directly\n';
  leaveData('ctrl', (await cli.store.controllers())['ctrl']!.uuid);
  expect((await ok('kill-controller ctrl --timeout 0s --dry-run')).stderr).toBe(text);
  expect(JSON.parse((await ok('kill-controller ctrl --timeout 0s --dry-run --format json')).stdout)).toEqual({
    accepted: true,
    controller: 'ctrl',
    answers: false,
  });
  const promptedRun = await cli.run('kill-controller ctrl --timeout 0s', { input: 'no\n' });
  expect(promptedRun.stderr).toContain(text);
});

test.each([
  'remove-unit dry/0',
  'remove-relation drier dry',
  'remove-machine MACHINE',
  'remove-application drier',
])('%s prints the same lines as its dry run', async (line) => {
  await ok('add-model same');
  // The model has no instances, so that nothing changes between the two runs.
  for (const one of ['deploy ./kv dry -n 2', 'deploy ./web drier', 'integrate drier dry'])
    await ok(`${one} -m same`);
  const { stderr: added } = await ok('add-machine -m same');
  const command = `${line.replace('MACHINE', /machine (\d+)/.exec(added)![1]!)} -m same`;
  const isLine = (text: string): boolean => /^(- )?will (remove|keep)/.test(text);
  const planned = (await ok(`${command} --dry-run`)).stderr.split('\n').filter(isLine);
  const prompt = line.startsWith('remove-relation') ? '' : ' --no-prompt';
  const lines = (await ok(`${command}${prompt}`)).stderr.split('\n').filter(isLine);
  expect(planned.length).toBeGreaterThan(0);
  expect(lines).toEqual(planned);
  await ok('destroy-model same --no-prompt --force --no-wait');
});

test.each([
  'kill-controller ctrl --no-prompt',
  'kill-controller ctrl --no-prompt --timeout 0s',
  'kill-controller ctrl --dry-run --timeout 0s',
])(
  '%s removes nothing from a cloud while a model may be the controller’s that it is migrated to',
  async (line) => {
    const { store } = controller.running();
    const controllerModel = controller.controllerModel;
    const endings: string[] = [];
    const simulated = createSimulatedProvider();
    const provider: Provider = {
      ...simulated,
      type: 'sky',
      controllerOn: 'instance',
      open: (params) => ({
        ...simulated.open(params),
        destroyController: () => Promise.resolve(void endings.push(params.controllerUuid)),
      }),
    };
    await cli.store.setBootstrapConfig('ctrl', {
      'controller-config': {},
      'model-config': {},
      'controller-model-uuid': controllerModel,
      cloud: 'sky',
      type: 'sky',
    });
    const [shop] = [...store.read().list('model')].filter(({ name }) => name === 'shop');
    await store.change((tx) => {
      const target = { uuid: 'u', alias: 'new', addresses: ['127.0.0.1:1'], caCert: '', user: 'user-admin' };
      const of = { model: shop!.uuid, attempt: 0, startedAt: tx.now, phaseAt: tx.now, message: '' };
      tx.put('migration', shop!.uuid, { ...of, phase: 'VALIDATION', target, asked: true });
    }, 'test');
    const providers = () => Promise.resolve(new Map([['sky', provider]]));
    const { code, stderr } = await cli.run(line, { providers });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(
        'a model of controller "ctrl" is being migrated, and its machines may be another controller\'s already: model migration in progress: model "admin/shop" goes to controller "new", in phase VALIDATION: try again when that has ended',
      ) as string,
    });
    expect(endings).toEqual([]);
    await store.change((tx) => tx.remove('migration', shop!.uuid), 'test');
  },
);
