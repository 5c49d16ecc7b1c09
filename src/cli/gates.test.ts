/** Gates between applications, as the commands that set and show them tell of them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cli, outputOf, prepareCli, succeed, writeCharm } from '../testing/cli-world.ts';

prepareCli(async () => {
  for (const name of ['db', 'web', 'log'])
    writeCharm(
      name,
      name === 'log'
        ? 'subordinate: true\nrequires:\n  host: {interface: juju-info, scope: container}\n'
        : '',
    );
  await succeed('add-model shop');
});

const said = async (line: string | readonly string[]): Promise<string[]> =>
  (await succeed(line)).stderr
    .split('\n')
    .filter((one) => one && !/^(Located|Deploying|Would deploy|Added|Executing)/.test(one));
const up = 'workload-message=="up"';

describe('an application that comes after others', () => {
  test('deploy --dry-run says that it would wait, and keeps nothing', async () => {
    expect(await said(['deploy', './web', '--after', 'db', '--dry-run'])).toEqual([
      'It would wait for db to be active',
    ]);
    const { stdout } = await succeed([
      'deploy',
      './web',
      '--after',
      `db=${up}`,
      '--dry-run',
      '--format',
      'json',
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      requirements: {
        pending: [{ application: 'web', missing: [{ applications: ['db'], health: up }], units: 1 }],
      },
    });
    expect((await succeed('pending')).stderr).toContain('no pending applications');
  });

  test('deploy says what it waits for', async () => {
    expect(await said(['deploy', './web', '--after', 'db', '--after', `cache=${up}`])).toEqual([
      `web waits for cache to have ${up}, db to be active`,
    ]);
    expect(await said('add-unit web')).toEqual([`web waits for cache to have ${up}, db to be active`]);
  });

  test('pending, status, show-application and explain tell it', async () => {
    expect((await outputOf('pending')).replace(/ \d+s +/, ' Ns   ')).toBe(
      `App  For  Units  Status   Message\nweb  Ns   2      waiting  waiting for cache to have ${up}, db to be active\n`,
    );
    expect(await outputOf('status')).toMatch(
      /\nweb\/0 +waiting +idle +waiting for cache to have .*, db to be active\n/,
    );
    expect(await outputOf('show-application web')).toContain(`after:\n    db: active\n    cache: ${up}\n`);
    expect((await outputOf('explain web')).replaceAll(/\(\d+s\)/g, '(Ns)')).toMatchInlineSnapshot(`
      "application web: alive, waiting for cache to have workload-message=="up", db to be active
      ├─ gate on cache: no application has that name
      └─ gate on db: no application has that name

      Who must act:
        you, for application web (Ns): deploy an application cache, or wait for it no longer
            grigri deploy <charm> cache  # deploys one
            grigri set-after web --none  # lets web wait for no other application
        you, for application web (Ns): deploy an application db, or wait for it no longer
            grigri deploy <charm> db     # deploys one
            grigri set-after web --none  # lets web wait for no other application
      "
    `);
  });

  test('set-after replaces what it waits for', async () => {
    expect(await said('set-after web db')).toEqual(['web waits for db to be active']);
    expect(await said('set-after web --none')).toEqual(['web: requirements met, now deployed']);
    expect(await said('set-after web db=active')).toEqual(['new units of web wait for db to be active']);
  });

  test.each([
    [['deploy', './db', '--after', 'web'], 1, 'db cannot wait for web: web waits for db'],
    [['deploy', './db', '--after', 'db'], 1, 'db cannot wait for itself'],
    [['deploy', './db', '--after', 'web=status='], 1, 'in the health of web'],
    [['deploy', './db', '--after', '=active'], 2, 'expected an application, or <application>=<health>'],
    [['deploy', './db', '--after', 'a', '--after', 'a=b'], 2, 'application a is waited for twice'],
    [['set-after'], 2, 'no application specified'],
    [['set-after', 'web'], 2, 'no application to wait for specified'],
    [['set-after', 'web', 'db', '--none'], 2, 'cannot name applications with --none'],
    [['set-after', 'nope', 'db'], 1, 'application "nope" not found'],
    [['set-after', 'web', 'web'], 1, 'web cannot wait for itself'],
  ])('%j is refused', async (line, code, message) => {
    const run = await cli.run(line);
    expect(run.stderr).toContain(message);
    expect(run).toMatchObject({ code, stdout: '' });
  });

  test('wait-for and explain say what keeps the other application from it', async () => {
    await succeed('set-after web db');
    await succeed('deploy ./db');
    const waiting = ['application', 'web', '--query', 'deployable=="true"', '--timeout', '1ms'];
    expect((await cli.run(['wait-for', ...waiting])).stderr).toContain('waiting for db to be active');
    expect(await outputOf('explain web')).toContain('gate on db: unit db/0 ');
  });

  test('history tells of gates that are set', async () => {
    const events = await outputOf('history web');
    expect(events).toContain('comes after db to be active');
    expect(events).toContain('no longer comes after cache');
    expect(events).toContain('waits for db to be active');
  });
});

describe('a bundle with gates', () => {
  const bundle =
    'applications:\n  db2: {charm: ./db, num_units: 1}\n  web2: {charm: ./web, num_units: 1, after: {db2: active}}\n';
  const write = (name: string, text: string): void => writeFileSync(join(cli.folder, name), text);

  test('the plan says what would wait, the model has it then, and shows no difference', async () => {
    write('gates.yaml', bundle);
    expect((await succeed('deploy ./gates.yaml --dry-run')).stderr).toContain(
      'web2 would wait for db2 to be active',
    );
    expect((await succeed('deploy ./gates.yaml')).stderr).toContain('web2 waits for db2 to be active');
    expect(await outputOf('export-bundle')).toContain('after:\n      db2: active\n');
    expect((await succeed('diff-bundle ./gates.yaml')).stdout).not.toContain('after');
    expect((await succeed('deploy ./gates.yaml --dry-run')).stdout).not.toContain('waits for');
  });

  test('other gates are a difference, which deploy sets', async () => {
    write('other.yaml', bundle.replace('db2: active', 'db: active'));
    expect(await outputOf('diff-bundle ./other.yaml')).toContain(
      'after:\n      db:\n        bundle: active\n        model: null\n      db2:\n        bundle: null\n        model: active\n',
    );
    expect((await succeed('deploy ./other.yaml')).stderr).toContain(
      'set what web2 waits for: db to be active',
    );
    expect((await succeed('diff-bundle ./other.yaml')).stdout).not.toContain('after');
  });

  test('a circle is refused before anything is done', async () => {
    write('circle.yaml', bundle.replace('num_units: 1}', 'num_units: 1, after: {web2: active}}'));
    const run = await cli.run('deploy ./circle.yaml');
    expect(run.stderr).toContain('applications.web2.after: web2 cannot wait for db2: db2 waits for web2');
    expect(run.code).toBe(1);
  });
});
