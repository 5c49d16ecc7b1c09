/** Tests of exec and debug-log: the commands that reach machines, against a controller with canned answers. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { answering, cannedCli } from '../../testing/canned-controller.ts';
import type { TestCli } from '../../testing/cli.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import type { CliIo } from '../io.ts';

let cli: TestCli;
beforeEach(async () => {
  cli = await cannedCli();
});
afterEach(() => cli[Symbol.dispose]());

describe('exec', () => {
  const task = (id: string, receiver: string, members: object) => ({
    action: { tag: `action-${id}`, receiver, name: 'juju-exec' },
    status: 'completed',
    enqueued: '2026-01-01T10:00:00Z',
    ...members,
  });
  /** Runs exec. `tasks` are the tasks that the controller reports first, and after each change. */
  const run = (
    line: string | readonly string[],
    tasks: readonly object[][],
    {
      sent = [],
      onWait,
      ...io
    }: { sent?: unknown[]; onWait?: () => void } & Omit<Partial<CliIo>, 'env'> = {},
  ) => {
    const news = [...tasks];
    let lastTask = tasks[0];
    const deltas = (entities: readonly object[]): unknown[] =>
      (entities as readonly { action: { tag: string }; status: string }[]).map(({ action, status }) => [
        'action',
        'change',
        { id: action.tag.slice('action-'.length), status },
      ]);
    return cli.run(line, {
      ...answering({
        'Action.Run': (params) => (sent.push(params), { operation: 'operation-1', actions: tasks[0] }),
        'Action.RunOnAllMachines': (params) => (
          sent.push(params),
          { operation: 'operation-1', actions: tasks[0] }
        ),
        'Client.WatchAll': () => ({ 'watcher-id': '1' }),
        'AllWatcher.Next': () => {
          const batch = news.shift();
          if (batch)
            return { deltas: [['model', 'change', { name: 'shop' }], ...deltas((lastTask = batch))] };
          onWait?.();
          return new Promise(() => undefined);
        },
        'Action.Actions': (params) => (sent.push(params), { results: lastTask }),
      }),
      ...io,
    });
  };

  test('exec prints the output of one target unchanged when the task has ended', async () => {
    const sent: unknown[] = [];
    const completed = task('2', 'unit-kv-0', {
      output: { 'return-code': 0, stdout: 'out\n', stderr: 'err' },
    });
    const result = await run(
      ['exec', '--unit', 'kv/0', '--', 'echo', "it's", '$HOME'],
      [[{ ...completed, status: 'pending' }], [{ ...completed, status: 'running' }], [completed]],
      { sent },
    );
    expect(result).toEqual({
      code: 0,
      stdout: 'out\n',
      stderr: 'err\n',
    });
    expect(sent).toEqual([
      {
        commands: `echo 'it'\\''s' '$HOME'`,
        timeout: 300e9,
        units: ['kv/0'],
        parallel: true,
        'execution-group': '',
      },
      { entities: [{ tag: 'action-2' }] },
    ]);
  });

  test('exec prints the results of several targets below their names, or as YAML, and fails when one failed', async () => {
    const tasks = [
      [
        task('2', 'unit-kv-0', { output: { stdout: 'x\n', 'return-code': 0 } }),
        task('3', 'unit-kv-1', { output: { 'return-code': 3 } }),
      ],
    ];
    expect((await run('exec --application kv -- false', tasks)).stdout).toBe('kv/0:\nx\n\nkv/1:\n\n');
    const result = await run('exec --application kv --utc --format yaml -- false', tasks);
    expect(result.code).toBe(1);
    expect(result.stdout).toMatchInlineSnapshot(`
      "kv/0:
        id: "2"
        results:
          return-code: 0
          stdout: |
            x
        status: completed
        timing:
          enqueued: 2026-01-01 10:00:00 +0000 UTC
        unit: kv/0
      kv/1:
        id: "3"
        results:
          return-code: 3
        status: completed
        timing:
          enqueued: 2026-01-01 10:00:00 +0000 UTC
        unit: kv/1
      "
    `);
    expect(result.stderr).toBe(
      `ERROR the following task failed:\n - id "3" with return code 3\n\nuse 'grigri show-task' to inspect the failure\n`,
    );
  });

  test('exec reports targets that do not exist', async () => {
    const result = await run('exec --unit kv/9 -- true', [
      [{ error: { message: 'unit "kv/9" not found', code: 'not found' } }],
    ]);
    expect(result).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Operation 1 failed to schedule any tasks:\nunit "kv/9" not found\n',
    });
  });

  test('exec ends its wait after --wait', async () => {
    const result = await run('exec --wait 1ms --machine 0 -- sleep 9', [
      [task('2', 'machine-0', { status: 'running' })],
    ]);
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/ERROR timed out waiting for results from: machine 0\n$/) as string,
    });
  });

  test('exec names only tasks that have not ended when its wait is over', async () => {
    const tasks = [
      task('2', 'unit-kv-0', { status: 'completed' }),
      task('3', 'unit-kv-1', { status: 'running' }),
    ];
    const clock = new ManualClock();
    const result = await run('exec --wait 5s --application kv -- sleep 9', [tasks], {
      clock,
      onWait: () =>
        setImmediate(() => {
          clock.advance(2000);
          clock.advance(2999);
          setImmediate(() => clock.advance(1));
        }),
    });
    expect(result.stderr.split('\n').slice(-3)).toEqual([
      'Waiting for 1 of 2 tasks...',
      'ERROR timed out waiting for results from: unit kv/1',
      '',
    ]);
  });

  test('exec ends at ^C', async () => {
    const ctrlC = new AbortController();
    const result = await run(
      'exec --machine 0 -- sleep 9',
      [[task('2', 'machine-0', { status: 'running' })]],
      {
        signal: ctrlC.signal,
        onWait: () => ctrlC.abort(new Error('interrupted')),
      },
    );
    expect(result).toMatchObject({ code: 130, stdout: '' });
  });

  test.each([
    ['exec', 'no commands specified'],
    ['exec ls', 'You must specify a target'],
    ['exec --all --unit kv/0 ls', 'You cannot specify --all and'],
    ['exec --unit kv ls', '"kv" is not a valid unit name'],
  ])('exec refuses "%s"', async (line, message) => {
    expect(await run(line, [[]])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message) as string,
    });
  });
});
