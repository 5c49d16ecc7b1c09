/** Commands about actions and operations, with a controller; the test itself does the agents' work. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { finishTask, logTask, startTask } from '../controller/transactions/agent/run-task.ts';
import { knowController, testCli, type CliRun, type TestCli } from './cli.ts';
import { testController, type TestController } from './controller.ts';
import { eventually } from './eventually.ts';

let controller: TestController;
let cli: TestCli;
let model: string;

beforeAll(async () => {
  controller = await testController();
  cli = testCli();
  await knowController(cli, controller);
  await cli.run('add-model shop');
  model = (await cli.store.models('ctrl'))['admin/shop']!.uuid;
  const path = join(cli.folder, 'db');
  mkdirSync(join(path, 'hooks'), { recursive: true });
  writeFileSync(join(path, 'metadata.yaml'), 'name: db\nsummary: s\ndescription: d\n');
  writeFileSync(join(path, 'hooks/install'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(
    join(path, 'actions.yaml'),
    `backup:
  description: Makes a backup.
  params:
    level: {type: integer, default: 1, description: How much.}
    to: {type: object, properties: {host: {type: string}}}
  required: [to]
  additionalProperties: false
rest:
  description: Does nothing.
`,
  );
  const deployed = await cli.run('deploy ./db -n 2');
  expect(deployed, deployed.stderr).toMatchObject({ code: 0 });
});
afterAll(async () => {
  cli[Symbol.dispose]();
  await controller[Symbol.asyncDispose]();
});

interface Outcome {
  readonly status?: 'completed' | 'failed';
  readonly message?: string;
  readonly output?: Record<string, unknown>;
  readonly log?: readonly string[];
}

/** Runs a command while the test does the work of the agents: each waiting task ends with the next outcome. */
async function runWith(line: string | readonly string[], ...outcomes: Outcome[]): Promise<CliRun> {
  const running = cli.run(line);
  const { store } = controller.running();
  for (const { status = 'completed', message = '', output = {}, log = [] } of outcomes) {
    await eventually(() => expect(waitingTasks()).not.toEqual([]));
    const task = waitingTasks()[0]!;
    await store.change((root) => {
      const tx = root.in(model);
      startTask(tx, { task });
      for (const text of log) logTask(tx, { task, message: text });
    }, 'agent');
    await store.change((root) => {
      const outcome = { status, message, output: { 'return-code': 0, ...output } };
      finishTask(root.in(model), { task, outcome });
    }, 'agent');
  }
  return running;
}

const waitingTasks = (): string[] =>
  [...controller.running().store.read().in(model).list('task')]
    .filter(({ status }) => status === 'pending')
    .map(({ id }) => id)
    .sort((a, b) => Number(a) - Number(b));

/** Replaces numbers and times, which depend on earlier runs and on the time of day. */
const masked = (text: string): string =>
  text
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC/g, 'TIME')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/g, 'TIME')
    .replace(/^\d\d:\d\d:\d\d /gm, 'hh:mm:ss ')
    .replace(/(operation|task|id|show-task|show-operation) "?\d+"?/gi, '$1 N');

describe('run', () => {
  test('run shows the messages of the action as they come, and its results', async () => {
    const { code, stdout, stderr } = await runWith('run db/0 backup to.host=h level=3 --utc', {
      output: { size: '5', where: { disk: 'sda' }, stdout: 'hello\n', stderr: 'world\n' },
      log: ['begun', 'half way'],
    });
    expect(code).toBe(0);
    expect(stdout).toBe('size: "5"\nwhere:\n  disk: sda\n\nhello\nworld\n\n');
    expect(masked(stderr)).toBe(
      `Running operation N with 1 task\n  - task N on unit-db-0\n\nWaiting for task N...\nhh:mm:ss begun\nhh:mm:ss half way\n\n`,
    );
  });

  test('run sends parameters of a file, of the command line over them, and as texts', async () => {
    writeFileSync(join(cli.folder, 'p.yaml'), 'to: {host: a}\nlevel: 7\n');
    const parameters = async (words: string): Promise<unknown> => {
      await runWith(`run db/0 backup --background ${words}`);
      const task = waitingTasks().at(-1)!;
      await cli.run(`cancel-task ${task}`);
      const { operation } = controller.running().store.read().in(model).get('task', task)!;
      const { stdout } = await cli.run(`show-operation ${operation} --format json`);
      return (JSON.parse(stdout) as { action: { parameters: unknown } }).action.parameters;
    };
    expect(await parameters('--params p.yaml')).toEqual({ to: { host: 'a' }, level: 7 });
    expect(await parameters('--params p.yaml to.host=b')).toEqual({ to: { host: 'b' }, level: 7 });
    expect(await parameters('to.host=4 --string-args')).toEqual({ to: { host: '4' }, level: 1 });
    writeFileSync(join(cli.folder, 'broken.yaml'), 'to: [');
    expect((await cli.run('run db/0 backup --params broken.yaml')).stderr).toMatch(
      /^ERROR broken.yaml: .* line 1\b/m,
    );
  });

  test('a task that ended without a return code is a failure, with the reason', async () => {
    const lost = {
      status: 'failed',
      message: 'action terminated',
      output: { 'return-code': undefined },
    } as const;
    const { code, stderr } = await runWith(['exec', '--unit', 'db/0', 'true'], lost);
    expect(code).toBe(1);
    expect(masked(stderr)).toContain(
      'ERROR the following task failed:\n - id N without a return code: action terminated\n',
    );
  });

  test("run exits with 1 when an action's program fails, with 0 when it only called action-fail", async () => {
    const failed = {
      status: 'failed',
      message: 'disk full',
      output: { used: '99', 'return-code': 3 },
    } as const;
    const one = await runWith('run db/0 backup to={}', failed);
    expect(one.code).toBe(1);
    expect(masked(one.stdout)).toBe('Action id N failed: disk full\nused: "99"\n\n');
    expect(masked(one.stderr)).toContain(
      `ERROR the following task failed:\n - id N with return code 3\n\nuse 'grigri show-task' to inspect the failure\n`,
    );
    const said = await runWith('run db/0 rest', { status: 'failed', message: 'no' });
    expect(said.code).toBe(0);
    expect(masked(said.stdout)).toContain('Action id N failed: no\n');
  });

  test('run on several units shows each by its name, in every format', async () => {
    const plain = await runWith('run db/0 db/1 rest', {}, { output: { a: '1' } });
    expect(plain.code).toBe(0);
    expect(plain.stdout.replace(/"\d+"/g, 'N').replace(/Task \d+/, 'Task N')).toBe(
      'db/0:\n  id: N\n  output: |\n    Task N completed\n  status: completed\n' +
        'db/1:\n  id: N\n  output: |\n    a: N\n  status: completed\n',
    );
    const yaml = await runWith('run db/0 rest --format yaml --utc', {
      output: { b: { c: '1' } },
      log: ['x'],
    });
    expect(masked(yaml.stdout)).toMatch(
      /^db\/0:\n {2}id: "\d+"\n {2}log:\n {2}- TIME x\n {2}results:\n {4}b:\n {6}c: "1"\n {4}return-code: 0\n {2}status: completed\n {2}timing:\n {4}completed: TIME\n {4}enqueued: TIME\n {4}started: TIME\n {2}unit: db\/0\n$/,
    );
    const json = await runWith('run db/1 rest --format json', {});
    expect(JSON.parse(json.stdout)).toMatchObject({
      'db/1': { status: 'completed', unit: 'db/1', results: { 'return-code': 0 } },
    });
  });

  test('run in the background names the operation and its tasks', async () => {
    const one = await cli.run('run db/0 rest --background');
    expect(one).toMatchObject({ code: 0, stdout: '' });
    expect(one.stderr.replaceAll(/\d+/g, 'N')).toBe(
      "Scheduled operation N with task N\nCheck operation status with 'grigri show-operation N'\nCheck task status with 'grigri show-task N'\n",
    );
    const two = await cli.run('run db/0 db/1 rest --background', { env: { JUJU_MODEL: 'ctrl:shop' } });
    expect(two.stderr).toMatch(/ 'grigri show-task <id> -m ctrl:shop'\n$/);
    expect(two.stderr).toMatch(/^Scheduled operation \d+ with 2 tasks\n {2}- task \d+ on unit-db-0\n/);
    await cli.run(['cancel-task', ...waitingTasks()]);
  });

  test('run gives up after --wait, and the task goes on', async () => {
    expect(await cli.run('run db/0 rest --wait 1ms')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ERROR timed out waiting for results from: unit db/0\n') as string,
    });
    expect(waitingTasks()).toHaveLength(1);
    await cli.run(['cancel-task', ...waitingTasks()]);
  });

  test.each([
    ['', 'no unit specified'],
    ['db/0', 'no action specified'],
    ['rest', 'no unit specified'],
    ['db/0 web/0 rest', 'all units must be of the same application'],
    ['db/0 Rest', 'invalid unit or action name "Rest"'],
    ['db/0 rest a', 'argument "a" must be of the form key.key.key...=value'],
    ['db/0 rest -x=1', 'option provided but not defined: -x'],
    ['db/0 rest a..b=1', 'key "" must start and end with'],
  ])('run %s is refused: %s', async (words, message) => {
    expect(await cli.run(`run ${words}`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message) as string,
    });
  });

  test('run says why no task was made, and exits with 0 as juju does', async () => {
    const unknown = await cli.run('run db/0 other');
    expect(unknown).toMatchObject({ code: 0, stdout: '' });
    expect(masked(unknown.stderr)).toBe(
      'Operation N failed to schedule any tasks:\naction "other" not defined on unit "db/0"\n',
    );
    expect((await cli.run('run db/0 backup level=x to={}')).stderr).toContain(
      'validation failed: (root).level : must be of type integer, given "x"',
    );
    expect((await cli.run('run db/leader rest')).stderr).toContain('could not determine leader for "db"');
  });
});

describe('exec', () => {
  test('exec prints the output of one target as it is, and of several below their names', async () => {
    const one = await runWith('exec --unit db/0 -- hostname', { output: { stdout: 'h', stderr: 'e\n' } });
    expect(one).toEqual({ code: 0, stdout: 'h\n', stderr: 'e\n' });
    const two = await runWith(
      'exec --app db -- hostname',
      { output: { stdout: 'a\n' } },
      { output: { stdout: 'Yg==', 'stdout-encoding': 'base64' } },
    );
    expect(two.stdout).toBe('db/0:\na\n\ndb/1:\nb\n\n');
    const verbose = await runWith('exec -v --machine 0 -- true', {});
    expect(masked(verbose.stderr)).toBe(
      'Running operation N with 1 task\n  - task N on machine-0\n\nWaiting for task N...\n',
    );
  });

  test('exec says why a command failed whose changes were refused', async () => {
    const refused = {
      status: 'failed',
      message: 'committing requested changes failed: permission denied',
      output: { 'return-code': 1, stdout: 'x\n' },
    } as const;
    const one = await runWith('exec --unit db/0 -- secret-remove s', refused);
    expect(one).toMatchObject({ code: 1, stdout: 'x\n' });
    expect(one.stderr).toMatch(
      /^ERROR committing requested changes failed: permission denied\nERROR the following task/,
    );
    const two = await runWith('exec --app db -- secret-remove s', refused, {});
    expect(two.stdout).toBe(
      'db/0:\nx\nERROR committing requested changes failed: permission denied\n\ndb/1:\n\n',
    );
  });
});

describe('commands that show tasks and operations', () => {
  test('actions lists the actions of the charm, and their schemas', async () => {
    expect((await cli.run('actions db')).stdout).toBe(
      'Action  Description\nbackup  Makes a backup.\nrest    Does nothing.\n',
    );
    expect((await cli.run('list-actions db --format yaml')).stdout).toBe(
      'backup: Makes a backup.\nrest: Does nothing.\n',
    );
    expect((await cli.run('actions db --schema')).stdout).toMatch(
      /^backup:\n {2}additionalProperties: false\n {2}description: Makes a backup\.\n {2}properties:\n {4}level:\n {6}default: 1\n/,
    );
    expect(await cli.run('actions none')).toMatchObject({ code: 1 });
    expect(await cli.run('actions')).toMatchObject({ code: 2, stderr: 'ERROR no application specified\n' });
  });

  test('show-action shows one action and its parameters', async () => {
    expect((await cli.run('show-action db backup')).stdout).toBe(
      'Makes a backup.\n\nArguments\nlevel:\n  type: integer\n  description: How much.\nto:\n  type: object\n  description: null\n\n',
    );
    expect((await cli.run('show-action db rest')).stdout).toBe('Does nothing.\n\nArguments\n{}\n\n');
    expect(await cli.run('show-action db other')).toMatchObject({
      code: 1,
      stderr: 'unknown action "other"\n\n',
    });
  });

  test('operations, show-operation and show-task follow an operation; cancel-task ends it', async () => {
    const background = await cli.run('run db/0 db/1 backup to={} --background');
    const operation = /operation (\d+) with/.exec(background.stderr)![1]!;
    const [first, second] = waitingTasks() as [string, string];
    expect((await cli.run('operations --status pending --utc')).stdout.replaceAll(/\d+/g, 'N')).toMatch(
      /^ *ID {2}Status {3}Started {2}Finished {2}Task IDs {2}Summary\n *N {2}pending +N,N +backup run on unit-db-N,unit-db-N\n$/,
    );
    const cancelled = await cli.run(`cancel-task ${second}`);
    expect(cancelled.stdout).toBe(`actions:\n- id: "${second}"\n  status: cancelled\n  unit: db/1\n`);
    const watched = await runWith(`show-operation ${operation} --watch --utc`, { output: { a: '1' } });
    expect(masked(watched.stdout)).toBe(
      `summary: backup run on unit-db-0,unit-db-1
status: cancelled
action:
  name: backup
  parameters:
    level: 1
    to: {}
timing:
  enqueued: TIME
  started: TIME
  completed: TIME
tasks:
  "${first}":
    host: db/0
    status: completed
    timing:
      enqueued: TIME
      started: TIME
      completed: TIME
    results:
      a: "1"
      return-code: 0
  "${second}":
    host: db/1
    status: cancelled
    timing:
      enqueued: TIME
      completed: TIME
    message: action cancelled via the API
`,
    );
    expect((await cli.run(`show-task ${first}`)).stdout).toBe('a: "1"\n\n');
    expect(JSON.parse((await cli.run(`show-task ${second} --format json`)).stdout)).toMatchObject({
      id: second,
      status: 'cancelled',
      unit: 'db/1',
    });
    expect(JSON.parse((await cli.run('operations --format json')).stdout)).toMatchObject({
      [operation]: { status: 'cancelled', tasks: { [first]: { host: 'db/0' } } },
    });
    expect((await cli.run('operations --limit 1')).stdout).toMatch(
      /^Displaying operation results 1 to 1\.\nRun the command again with --offset=1 --limit=1 to see the next batch\.\n\n/,
    );
  });

  test('show-task shows the messages of a task that it waits for', async () => {
    await cli.run('run db/0 rest --background');
    const task = waitingTasks().at(-1)!;
    expect((await cli.run(`show-task ${task}`)).stdout).toBe(`Task ${task} pending\n\n`);
    const watched = await runWith(`show-task ${task} --watch`, { log: ['going'], output: { a: '1' } });
    expect(watched).toMatchObject({ code: 0, stdout: 'a: "1"\n\n' });
    expect(watched.stderr).toMatch(/^\d\d:\d\d:\d\d going\n$/);
  });

  test.each([
    ['show-task', 2, 'no task ID specified'],
    ['show-task x', 2, 'task ID "x" not valid'],
    ['show-task 1 --wait 1s --watch', 2, 'specify either --watch or --wait but not both'],
    ['show-task 9999', 1, 'task "9999" not found'],
    ['show-operation 9999', 1, 'operation "9999" not found'],
    ['show-operation 1 2', 2, 'unrecognized args: ["2"]'],
    ['cancel-task', 2, 'no task IDs specified'],
    ['operations --units db', 2, 'invalid unit name "db"'],
    ['operations --apps none', 0, 'no matching operations'],
  ])('%s: exit code %d, %s', async (line, code, message) => {
    expect(await cli.run(line)).toMatchObject({ code, stderr: expect.stringContaining(message) as string });
  });
});
