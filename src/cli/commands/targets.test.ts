/** Tests of exec, ssh and debug-log: the commands that reach machines, against a controller with canned answers. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Connection } from '../../client/connection.ts';
import type { Environ, Provider } from '../../providers/contract/provider.ts';
import { testCli, type TestCli } from '../../testing/cli.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import type { CliIo } from '../io.ts';

type Calls = Record<string, (params: never) => unknown>;

let cli: TestCli;
let terminal: (readonly string[])[];
beforeEach(async () => {
  terminal = [];
  cli = testCli();
  await cli.store.addController(
    'ctrl',
    { uuid: 'c', 'api-endpoints': ['127.0.0.1:1'], 'ca-cert': '', cloud: 'local', type: 'local' },
    { user: 'admin', password: 'pw' },
  );
  await cli.store.addModel('ctrl', 'admin/shop', { uuid: 'm', type: 'iaas' });
  await cli.store.setCurrentModel('ctrl', 'admin/shop');
  await cli.store.setCurrentController('ctrl');
});
afterEach(() => cli[Symbol.dispose]());

/** Returns a controller that answers `Facade.Method` from the table, and nothing else. */
function answering(calls: Calls): Omit<Partial<CliIo>, 'env'> {
  const connection: Connection = {
    call: (facade, method, params, { signal } = {}) => {
      const answer = calls[`${facade}.${method}`];
      if (!answer) return Promise.reject(new Error(`no answer to ${facade}.${method}`));
      const ended = Promise.withResolvers<never>();
      signal?.addEventListener('abort', () => ended.reject(signal.reason as Error));
      return Promise.race([Promise.resolve(answer(params as never) as never), ended.promise]);
    },
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
  return {
    connect: () => Promise.resolve(connection),
    runOnTerminal: (argv) => (terminal.push(argv), Promise.resolve(7)),
  };
}

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
  ])('refuses "%s"', async (line, message) => {
    expect(await run(line, [[]])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message) as string,
    });
  });
});

describe('ssh', () => {
  const machine = (id: string, members: object = {}) => ({
    id,
    'instance-id': `i-${id}`,
    'dns-name': `10.0.0.${id}`,
    containers: {},
    ...members,
  });
  const status = () => ({
    model: { 'cloud-tag': 'cloud-local' },
    machines: { '0': machine('0'), '1': machine('1', { 'instance-id': 'pending' }) },
    applications: {
      web: {
        units: {
          'web/0': {
            machine: '0',
            leader: true,
            subordinates: {
              'log/0': { machine: '', leader: true },
              'log/1': { machine: '', unplaced: true, 'workload-status': { info: '' } },
            },
          },

          'web/1': { machine: '' },
          'web/2': {
            machine: '',
            unplaced: true,
            'workload-status': { info: 'missing relation: db (mysql)' },
          },
        },
      },
      log: { units: {} },
    },
  });
  /** Makes a CLI that enters instances of a controller whose data is in the test's folder. */
  const local = (): Omit<Partial<CliIo>, 'env'> => ({
    providers: () => {
      const provider: Partial<Provider> = {
        validate: (config) => config,
        open: ({ modelUuid }) =>
          ({
            enter: (id, { tty }) => Promise.resolve(['enter', modelUuid, id, String(tty)]),
          }) as Partial<Environ> as Environ,
      };
      return Promise.resolve(new Map([['local', provider as Provider]]));
    },
  });
  const bootstrapped = () =>
    cli.store.setBootstrapConfig('ctrl', {
      'controller-config': { 'data-dir': cli.folder },
      'model-config': {},
      'controller-model-uuid': 'x',
      cloud: 'local',
      type: 'local',
    });

  test.each([
    ['ssh 0 ls -la /', ['enter', 'm', 'i-0', 'false', 'sh', '-c', 'ls -la /']],
    [
      'ssh ubuntu@web/leader id',
      ['enter', 'm', 'i-0', 'false', 'runuser', '-u', 'ubuntu', '--', 'sh', '-c', 'id'],
    ],
    ['ssh log/0 id', ['enter', 'm', 'i-0', 'false', 'sh', '-c', 'id']],
  ])("%s enters the machine, on its controller's host", async (line, argv) => {
    await bootstrapped();
    const result = await cli.run(line, { ...answering({ 'Client.FullStatus': status }), ...local() });
    expect(result).toEqual({ code: 7, stdout: '', stderr: '' });
    expect(terminal).toEqual([argv]);
  });

  test("ssh connects over the network to machines of another cloud than the controller's", async () => {
    await bootstrapped();
    const lxd = () => ({ ...status(), model: { 'cloud-tag': 'cloud-localhost' } });
    await cli.run('ssh web/0 id', { ...answering({ 'Client.FullStatus': lxd }), ...local() });
    expect(terminal.map(([program]) => program)).toEqual(['ssh']);
  });

  test('ssh connects over the network to machines of other hosts', async () => {
    await cli.run('ssh web/0 id', { ...answering({ 'Client.FullStatus': status }), ...local() });
    const [argv = []] = terminal;
    expect(argv.slice(0, 3)).toEqual(['ssh', '-i', `${cli.folder}/juju/ssh/juju_id_rsa`]);
    expect(argv.slice(-2)).toEqual(['ubuntu@10.0.0.0', 'id']);
    expect(argv).toContain('StrictHostKeyChecking accept-new');
    expect(argv).toContain('HostKeyAlias c/m/i-0');
  });

  test.each([
    ['ssh 7', 'ERROR machine 7 not found'],
    ['ssh 1', 'ERROR machine "1" is not started yet: see \'grigri status 1\''],
    ['ssh web/9', 'ERROR unit "web/9" not found'],
    ['ssh web/1', 'ERROR unit "web/1" has no machine yet'],
    ['ssh web/2', 'ERROR unit "web/2" is not on a machine yet: missing relation: db (mysql)\n'],
    ['ssh log/1', 'ERROR unit "log/1" is not on a machine yet\n'],
    ['ssh nope/0', 'ERROR application "nope" not found'],
  ])('%s fails: %s', async (line, message) => {
    const result = await cli.run(line, answering({ 'Client.FullStatus': status }));
    expect(result.code).toBe(1);
    expect(result.stderr).toContain(message);
    expect(terminal).toEqual([]);
  });
});
