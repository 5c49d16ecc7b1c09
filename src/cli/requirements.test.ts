/** Output of commands about requirements, and the commands that show it again. */
import { describe, expect, test } from 'vitest';
import { cli, prepareCli, writeCharm, succeed as ok } from '../testing/cli-world.ts';
import type { PendingApplication, RequirementsChange } from '../wire/facades/requirements.ts';
import { mergeRequirements } from '../operate/requirements.ts';
import { requirementLines } from './requirements.ts';

const waiting = (application: string, members: Partial<PendingApplication> = {}): PendingApplication => ({
  application,
  since: '2026-01-01T10:00:00Z',
  missing: [{ endpoint: 'db', interface: 'mysql', applications: [] }],
  units: 1,
  running: 0,
  ...members,
});
const change = (members: Partial<RequirementsChange>): RequirementsChange => ({
  deployable: [],
  running: [],
  circles: [],
  pending: [],
  ...members,
});
const applicationNames = (n: number): string[] => Array.from({ length: n }, (_, i) => `app${i}`);

describe('requirementLines', () => {
  test.each<[string, Partial<RequirementsChange>, string[]]>([
    ['nothing', {}, []],
    ['a pending application', { pending: [waiting('web')] }, ['web waits for relations: db (mysql)']],
    [
      'a pending application with running units',
      { pending: [waiting('web', { running: 2 })] },
      ['new units of web wait for relations: db (mysql)'],
    ],
    [
      'missing relations and applications',
      {
        pending: [
          waiting('web', {
            missing: [
              { endpoint: 'db', interface: 'mysql', applications: ['mysql'] },
              { endpoint: 'cache', interface: 'kv', applications: [] },
            ],
          }),
        ],
      },
      ['web waits for relations: cache (kv); for applications: mysql (db)'],
    ],
    ['a deployed application', { deployable: ['web'] }, ['web: requirements met, now deployed']],
    [
      'a deployed application with running units',
      { deployable: ['web', 'log'], running: ['web'] },
      ['log: requirements met, now deployed', 'web: requirements met again'],
    ],
    [
      'three deployed applications and a pending one',
      { deployable: ['mysql', 'web', 'log'], pending: [waiting('other')] },
      ['mysql, web and log: requirements met, now deployed', 'other waits for relations: db (mysql)'],
    ],
    [
      'a circle and an application that required it',
      { deployable: ['a', 'b', 'web'], circles: [['a', 'b']] },
      ['a and b require each other: deployed together', 'web: requirements met, now deployed'],
    ],
    [
      'a long chain',
      { deployable: applicationNames(1002) },
      ['app0, app1, app2 … and 999 more: requirements met, now deployed'],
    ],
    [
      'many circles',
      {
        deployable: applicationNames(24),
        circles: Array.from({ length: 12 }, (_, i) => [`app${2 * i}`, `app${2 * i + 1}`]),
      },
      [
        ...Array.from(
          { length: 10 },
          (_, i) => `app${2 * i} and app${2 * i + 1} require each other: deployed together`,
        ),
        '… and 2 more such circles',
      ],
    ],
    [
      'many pending applications',
      { pending: applicationNames(12).map((name) => waiting(name)) },
      [
        ...applicationNames(10).map((name) => `${name} waits for relations: db (mysql)`),
        "… and 2 more pending: see 'grigri pending'",
      ],
    ],
    [
      'more pending applications than the controller lists',
      { pending: applicationNames(100).map((name) => waiting(name)) },
      [
        ...applicationNames(10).map((name) => `${name} waits for relations: db (mysql)`),
        "… and more pending: see 'grigri pending'",
      ],
    ],
  ])('requirementLines formats %s', (_, effect, lines) => {
    expect(requirementLines(change(effect))).toEqual(lines);
  });

  test('merged changes contain the last state of each application, without removed ones', () => {
    const merged = mergeRequirements(
      [
        change({ pending: [waiting('web'), waiting('log', { units: 2 })] }),
        undefined,
        change({ pending: [waiting('log', { units: 1 })] }),
      ],
      ['web'],
    );
    expect(merged).toEqual(change({ pending: [waiting('log', { units: 1 })] }));
  });
});

describe('a model whose applications require each other', () => {
  const charms = {
    mysql: 'provides:\n  db: {interface: mysql}\n  logs: {interface: logging}\n',
    wordpress:
      'requires:\n  db: {interface: mysql, optional: false}\n  cache: {interface: kv}\nprovides:\n  logs: {interface: logging}\n  site: {interface: http}\n',
    logging:
      'subordinate: true\nrequires:\n  dir: {interface: logging, scope: container, optional: false}\n  master: {interface: syslog, optional: false}\n',
    chicken: 'requires:\n  egg: {interface: egg, optional: false}\nprovides:\n  chick: {interface: chick}\n',
    egg: 'requires:\n  hen: {interface: chick, optional: false}\nprovides:\n  egg: {interface: egg}\n',
    agent: 'subordinate: true\nrequires:\n  files: {interface: files, scope: container}\n',
  };

  prepareCli(async () => {
    for (const [name, metadata] of Object.entries(charms)) writeCharm(name, metadata);
    await outputLines('add-model shop');
  });

  /** Returns the lines of the output that concern requirements. */
  const outputLines = async (line: string | readonly string[]): Promise<string[]> =>
    (await ok(line)).stderr
      .split('\n')
      .filter((said) => said && !/^(Located|Deploying|Would deploy|will remove|- will|Added)/.test(said));
  const json = async <T>(line: string): Promise<T> =>
    JSON.parse((await ok(`${line} --format json`)).stdout) as T;

  test('deploy prints the requirements that the application waits for', async () => {
    expect((await ok('pending')).stderr).toBe('Model "admin/shop" has no pending applications.\n');
    expect(await outputLines('deploy ./wordpress -n 2')).toEqual([
      'wordpress waits for relations: db (mysql)',
    ]);
    expect(await outputLines('deploy ./mysql')).toEqual([]);
    expect(await outputLines('deploy ./agent')).toEqual([
      'agent waits for relations: files (files) or juju-info (juju-info)',
    ]);
    expect(await json('deploy ./logging')).toMatchObject({
      application: 'logging',
      charm: 'local:logging-0',
      requirements: {
        deployable: [],
        circles: [],
        pending: [{ application: 'logging', missing: [{ endpoint: 'dir' }, { endpoint: 'master' }] }],
      },
    });
    expect(await outputLines('add-unit wordpress')).toEqual(['wordpress waits for relations: db (mysql)']);
  });

  test.each([
    ['deploy ./wordpress --require', '', 'cache\ndb\n'],
    ['deploy ./wordpress', '--require=d', '--require=db\n'],
    ['deploy ./nowhere --require', '', ''],
    ['deploy --require', '', ''],
  ])('completion of "%s %s" offers the endpoints of the charm', async (line, lastWord, candidates) => {
    expect((await ok(['__complete', '--', ...line.split(' '), lastWord])).stdout).toBe(candidates);
  });

  test.each([
    ['--dry-run', ['It would wait for relations: db (mysql)']],
    ['--dry-run --require cache', ['It would wait for relations: db (mysql), cache (kv)']],
  ])('deploy %s prints the requirements that the application would wait for', async (flags, lines) => {
    expect(await outputLines(`deploy ./wordpress other ${flags}`)).toEqual(lines);
    expect(await json(`deploy ./wordpress other ${flags}`)).toMatchObject({
      application: 'other',
      requirements: { deployable: [], pending: [{ application: 'other', units: 1, running: 0 }] },
    });
  });

  test('pending, status and explain show the missing requirements', async () => {
    expect((await ok('pending')).stdout.replace(/ \d+s +/g, ' Ns   ')).toMatchInlineSnapshot(`
      "App        For  Units  Status   Message
      agent      Ns   0      blocked  missing relation: files (files) or juju-info (juju-info)
      logging    Ns   0      blocked  missing relations: dir (logging), master (syslog)
      wordpress  Ns   3      blocked  missing relation: db (mysql)
      "
    `);
    expect(await json('pending')).toMatchObject({
      total: 3,
      applications: [
        { application: 'agent' },
        { application: 'logging' },
        { application: 'wordpress', units: 3 },
      ],
    });
    expect(await json('show-unit wordpress/0')).toMatchObject({
      'wordpress/0': { waiting: 'missing relation: db (mysql)' },
    });
    expect(await json('show-application wordpress')).toMatchObject({
      wordpress: { pending: { missing: [{ endpoint: 'db' }], units: 3 } },
    });
    expect((await ok('status')).stdout).toMatch(
      /\nwordpress\/0 +blocked +idle +missing relation: db \(mysql\)\n/,
    );
    expect(await json('status')).toMatchObject({
      applications: {
        wordpress: {
          pending: { missing: [{ endpoint: 'db', interface: 'mysql' }], units: 3, running: 0 },
          units: { 'wordpress/2': { unplaced: true } },
        },
      },
    });
  });

  test('explain shows the chain of causes and the command that resolves it', async () => {
    const { stdout } = await ok('explain wordpress/0');
    expect(stdout.replace(/\(\d+s\)/, '(Ns)')).toMatchInlineSnapshot(`
      "unit wordpress/0: alive, it has no machine yet: missing relation: db (mysql)
      └─ application wordpress: alive, missing relation: db (mysql)
         └─ requirement db (mysql): no relation satisfies it

      Who must act:
        you, for application wordpress (Ns): relate wordpress:db to an application that provides mysql
            grigri integrate wordpress:db mysql:db  # relates it to mysql
      "
    `);
  });

  test.each([
    ['application wordpress', 'deployable=="true"', 'missing relation: db (mysql)'],
    ['application wordpress', 'pending==""', 'missing relation: db (mysql)'],
    ['application wordpress', 'unplaced=="0"', 'missing relation: db (mysql)'],
    ['unit wordpress/0', 'unplaced=="false"', 'missing relation: db (mysql)'],
    ['model shop', 'pending=="0"', 'applications pending: 3'],
  ])('wait-for %s --query %s prints what it waits for', async (what, query, reason) => {
    const run = await cli.run(['wait-for', ...what.split(' '), '--query', query, '--timeout', '1ms']);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(reason);
  });

  test('ssh refuses a unit without a machine', async () => {
    const message = 'unit "wordpress/0" is not on a machine yet: missing relation: db (mysql)\n';
    expect(await cli.run('ssh wordpress/0')).toMatchObject({ code: 1, stderr: `ERROR ${message}` });
    expect(await cli.run('exec -u wordpress/0 true')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Operation \d+ failed to schedule any tasks:\n/) as string,
    });
    expect((await cli.run('exec -u wordpress/0 true')).stderr).toContain(message);
  });

  test('integrate prints the applications that it deploys, in order, and those still pending', async () => {
    expect(await outputLines('integrate logging wordpress')).toEqual([
      'logging waits for relations: master (syslog); for applications: wordpress (dir)',
      'wordpress waits for relations: db (mysql)',
    ]);
    expect(await json('integrate wordpress mysql')).toMatchObject({
      endpoints: { wordpress: 'db', mysql: 'db' },
      requirements: { deployable: ['wordpress'], pending: [{ application: 'logging' }] },
    });
    await ok(['wait-for', 'application', 'wordpress', '--query', 'unplaced==0 && deployable==true']);
    expect(await json('status')).toMatchObject({
      applications: { wordpress: { units: { 'wordpress/0': { machine: '1' } } } },
    });
    expect(await outputLines('integrate agent mysql')).toEqual(['agent: requirements met, now deployed']);
  });

  test('integrate reports applications that require each other', async () => {
    expect(await outputLines('deploy ./chicken')).toEqual(['chicken waits for relations: egg (egg)']);
    expect(await outputLines('deploy ./egg')).toEqual(['egg waits for relations: hen (chick)']);
    expect(await outputLines('integrate chicken:egg egg')).toEqual([
      'chicken waits for applications: egg (egg)',
      'egg waits for relations: hen (chick)',
    ]);
    expect(await outputLines('integrate chicken:chick egg')).toEqual([
      'chicken and egg require each other: deployed together',
    ]);
  });

  test('removals report the requirements that they leave missing', async () => {
    expect(await outputLines('remove-relation wordpress mysql')).toEqual([
      'new units of wordpress wait for relations: db (mysql)',
      'logging waits for relations: master (syslog); for applications: wordpress (dir)',
    ]);
    await ok('integrate wordpress mysql');
    expect((await ok('remove-application mysql --dry-run')).stderr.split('\n')).toEqual(
      expect.arrayContaining([
        '- will leave application agent waiting for relations: files (files) or juju-info (juju-info)',
        '- will leave application wordpress waiting for relations: db (mysql)',
      ]),
    );
    const { removed, requirements } = await json<{ removed: string[]; requirements: RequirementsChange }>(
      'remove-application mysql --no-prompt',
    );
    expect(removed).toEqual(['mysql']);
    expect(
      requirements.pending.map(({ application, running }) => `${application} ${running}`).sort(),
    ).toEqual(['agent 0', 'logging 0', 'wordpress 3']);
    expect(await outputLines('remove-application wordpress logging --no-prompt')).toEqual([]);
  });

  test('the setting of the model decides which requirements of charms count', async () => {
    await outputLines('add-model free');
    expect(await outputLines('deploy ./wordpress')).toEqual(['wordpress waits for relations: db (mysql)']);
    expect(await outputLines('model-config require-endpoints=all')).toEqual([
      'wordpress waits for relations: db (mysql), cache (kv)',
    ]);
    expect(await outputLines('model-config require-endpoints=none')).toEqual([
      'wordpress: requirements met, now deployed',
    ]);
    expect(await outputLines('deploy ./wordpress strict --require cache')).toEqual([
      'strict waits for relations: cache (kv)',
    ]);
    expect(await json('model-config --reset require-endpoints')).toMatchObject({ requirements: {} });
  });

  test.each([
    [
      'deploy ./wordpress w --require dbx',
      1,
      'charm "wordpress" has no requires endpoint "dbx": it has db, cache',
    ],
    ['deploy ./wordpress w --require db,site', 1, 'no requires endpoint "site"'],
    ['deploy ./mysql m --require db', 1, 'charm "mysql" has no requires endpoint "db": it has none'],
    ['pending extra', 2, 'unrecognized args: ["extra"]'],
  ])('%s fails', async (line, code, message) => {
    const run = await cli.run(line);
    expect(run).toMatchObject({ code, stdout: '' });
    expect(run.stderr).toContain(message);
  });
});
