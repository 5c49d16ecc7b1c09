import { describe, expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { call, callers, enqueue, type Enqueued, prepareModel } from '../../../testing/action-calls.ts';
import { finishTask } from '../../transactions/agent/run-task.ts';
import { taskRecord } from '../../watchers/agent-records.ts';

prepareModel();

describe('EnqueueOperation', () => {
  test('EnqueueOperation creates a task for each action, with the defaults of its parameters', async () => {
    await callers.change((tx) =>
      tx.put('lease', 'app', { application: 'app', holder: 'app/1', expiresAt: '2026-01-01T00:01:00Z' }),
    );
    const { operation, actions } = await enqueue(
      { receiver: 'unit-app-0' },
      { receiver: 'app/leader', parameters: { file: 'g', level: 2 } },
    );
    expect(operation).toMatch(/^operation-\d+$/);
    expect(actions).toMatchObject([
      { status: 'pending', action: { receiver: 'unit-app-0', parameters: { file: 'f', level: 1 } } },
      { status: 'pending', action: { receiver: 'unit-app-1', parameters: { file: 'g', level: 2 } } },
    ]);
    expect([...callers.view().list('task')].map(({ receiver, name }) => [receiver, name])).toEqual([
      ['app/0', 'backup'],
      ['app/1', 'backup'],
    ]);
  });

  test('EnqueueOperation reports an error at the place of its action, and enqueues the other actions', async () => {
    const { operation, actions } = await enqueue(
      { receiver: 'unit-app-7' },
      { receiver: 'unit-app-0', name: 'restore' },
      { receiver: 'app/leader' },
      { receiver: 'unit-app-0', parameters: {} },
      { receiver: 'unit-app-0', parameters: { file: 1 } },
      { receiver: 'unit-app-0', parameters: { file: 'f', colour: 'red' } },
      { receiver: 'unit-app-1' },
    );
    expect(actions.map((one) => one.error?.message)).toEqual([
      'unit "app/7" not found',
      'action "restore" not defined on unit "app/0"',
      'could not determine leader for "app"',
      'validation failed: (root) : "file" property is missing and required, given {}',
      'validation failed: (root).file : must be of type string, given 1',
      'validation failed: (root) : additional property "colour" is not allowed, given {"file":"f","colour":"red"}',
      undefined,
    ]);
    const kept = [...callers.view().list('task')].sort((a, b) => Number(a.id) - Number(b.id));
    expect(kept.map(({ receiver, name, status }) => [receiver, name, status])).toEqual([
      ['app/0', 'restore', 'error'],
      ['app/0', 'backup', 'error'],
      ['app/0', 'backup', 'error'],
      ['app/0', 'backup', 'error'],
      ['app/1', 'backup', 'pending'],
    ]);
    expect(kept[0]).toMatchObject({
      message: 'action "restore" not defined on unit "app/0"',
      parameters: {},
      completed: '2026-01-01T00:00:00.000Z',
    });
    expect(await call('Operations', { entities: [{ tag: operation }] })).toMatchObject({
      results: [
        {
          status: 'pending',
          fail: expect.stringMatching(
            /^error\(s\) enqueueing action\(s\): unit "app\/7" not found, /,
          ) as string,
        },
      ],
    });
  });

  test('EnqueueOperation checks parameters by the whole schema of the action, and reports all errors', async () => {
    const filter = { hosts: ['a', `${'a'.repeat(100)}!`, 1], depth: 4 };
    const { actions } = await enqueue(
      { receiver: 'unit-app-0', parameters: { filter } },
      { receiver: 'unit-app-0', parameters: { file: 'f', filter: { hosts: ['aa'], depth: 3 } } },
    );
    expect(actions.map((one) => one.error?.message)).toEqual([
      `validation failed: (root) : "file" property is missing and required, given ${JSON.stringify({ filter })}; ` +
        `(root).filter.hosts.1 : does not match pattern '^(a+)+$', given "${'a'.repeat(100)}!"; ` +
        '(root).filter.hosts.2 : must be of type string, given 1; ' +
        '(root).filter.depth : must be lower than or equal to 3, given 4',
      undefined,
    ]);
  });

  test('EnqueueOperation does not check defaults, and required parameters have to be given', async () => {
    const params = {
      type: 'object',
      properties: { to: { type: 'string', default: 1 }, at: { properties: { host: { default: 'h' } } } },
    };
    const spec = { description: '', parallel: false, executionGroup: '' };
    await callers.addCharm(
      'late',
      {},
      { actions: { send: { ...spec, params }, must: { ...spec, params: { ...params, required: ['to'] } } } },
    );
    await callers.call('Application', 'Deploy', {
      applications: [{ application: 'late', 'charm-url': 'local:late-0', 'num-units': 1 }],
    });
    const { actions } = await enqueue(
      { receiver: 'unit-late-0', name: 'send', parameters: {} },
      { receiver: 'unit-late-0', name: 'must', parameters: {} },
    );
    expect(actions).toMatchObject([
      { action: { parameters: { to: 1, at: { host: 'h' } } } },
      { error: { message: 'validation failed: (root) : "to" property is missing and required, given {}' } },
    ]);
  });

  test('EnqueueOperation checks the same parameters once for all units, whether they pass or not', async () => {
    const hosts = Array.from({ length: 1_000 }, () => 'a'.repeat(20));
    const repeat = (parameters: object): object[] =>
      Array.from({ length: 50 }, () => ({ receiver: 'unit-app-0', parameters }));
    const passing = await enqueue(...(repeat({ file: 'f', filter: { hosts } }) as Record<string, unknown>[]));
    expect(passing.actions.map((one) => one.error)).toEqual(Array(50).fill(undefined));
    const failing = await enqueue(...(repeat({ filter: { hosts } }) as Record<string, unknown>[]));
    expect(new Set(failing.actions.map((one) => one.error?.message)).size).toBe(1);
    expect(failing.actions[0]!.error!.message).toMatch(/property is missing and required/);
  });

  test('EnqueueOperation refuses actions whose checks cost more than limits.schemaSteps, and enqueues the actions before', async () => {
    const hosts = (n: number): object => ({
      file: 'f',
      filter: { hosts: Array.from({ length: 9_000 }, () => 'a'.repeat(n + 5)) },
    });
    const { actions } = await enqueue(
      { receiver: 'unit-app-0' },
      ...[1, 2, 3, 4, 5].map((n) => ({ receiver: 'unit-app-0', parameters: hosts(n) })),
    );
    expect(actions[0]!.error).toBeUndefined();
    expect(actions.at(-1)!.error).toMatchObject({ code: 'quota limit exceeded' });
  });

  test('an operation of limits.listEntries actions that all have errors of their own is recorded', async () => {
    const all = Array.from({ length: limits.listEntries.max }, (_, n) => ({
      receiver: `unit-app-${n + 7}`,
    }));
    const { operation, actions } = await enqueue(...all);
    expect(operation).toMatch(/^operation-\d+$/);
    expect(actions).toHaveLength(all.length);
  });

  test('a task is parallel and of a group as the request says, or else as the charm says', async () => {
    const params = { type: 'object', properties: {} };
    const wide = { description: '', params, parallel: true, executionGroup: 'io' };
    await callers.addCharm(
      'wide',
      {},
      { actions: { wide, narrow: { ...wide, parallel: false, executionGroup: '' } } },
    );
    await callers.call('Application', 'Deploy', {
      applications: [{ application: 'wide', 'charm-url': 'local:wide-0', 'num-units': 1 }],
    });
    const receiver = 'unit-wide-0';
    await enqueue(
      { receiver, name: 'wide' },
      { receiver, name: 'wide', parallel: false, 'execution-group': '' },
      { receiver, name: 'narrow' },
      { receiver, name: 'narrow', parallel: true, 'execution-group': 'x' },
      { receiver: 'machine-0', name: 'juju-exec', parameters: { command: 'id' } },
    );
    await call('Run', { commands: 'id', units: ['wide/0'], parallel: true, 'execution-group': 'y' });
    await call('Run', { commands: 'id', units: ['wide/0'] });
    const turns = [...callers.view().list('task')]
      .sort((a, b) => Number(a.id) - Number(b.id))
      .map(({ parallel = false, executionGroup = '' }) => [parallel, executionGroup]);
    expect(turns).toEqual([
      [true, 'io'],
      [false, ''],
      [false, ''],
      [true, 'x'],
      [true, ''],
      [true, 'y'],
      [false, ''],
    ]);
  });

  test('an operation without any task has failed', async () => {
    const { operation } = await enqueue({ receiver: 'unit-app-7' });
    expect(await call('Operations', { entities: [{ tag: operation }] })).toMatchObject({
      results: [
        {
          operation,
          status: 'error',
          completed: '2026-01-01T00:00:00.000Z',
          fail: 'error(s) enqueueing action(s): unit "app/7" not found',
        },
      ],
    });
    const failed = { status: ['error'] };
    expect(await call('ListOperations', failed)).toMatchObject({ results: [{ operation }] });
  });

  test('commands run only for admins, whatever the commands are called', async () => {
    await callers.addUser('bob');
    await callers.grant('bob', 'write');
    const actions = [{ receiver: 'unit-app-0', name: 'juju-exec', parameters: { command: 'id' } }];
    await expect(call('EnqueueOperation', { actions }, { as: 'bob' })).rejects.toMatchObject({
      code: 'unauthorized access',
    });
    await callers.grant('bob', 'admin');
    expect(await call('EnqueueOperation', { actions }, { as: 'bob' })).toMatchObject({
      actions: [{ status: 'pending' }],
    });
  });
});

describe('Run', () => {
  test('Run puts a command on units, applications and machines, each once', async () => {
    const { actions } = await call<Enqueued>('Run', {
      commands: 'uptime',
      timeout: 5_000_000_000,
      units: ['app/0'],
      applications: ['app'],
      machines: ['0'],
    });
    expect(actions.map((one) => one.action?.receiver)).toEqual(['unit-app-0', 'unit-app-1', 'machine-0']);
    expect(actions[0]!.action).toMatchObject({ parameters: { command: 'uptime', timeout: 5_000_000_000 } });
  });

  test('Run reports an error for each unknown target, and runs on the other targets', async () => {
    const { actions } = await call<Enqueued>('Run', {
      commands: 'id',
      units: ['app/9', 'app/0'],
      machines: ['7'],
    });
    expect(actions).toMatchObject([
      { error: { code: 'not found', message: 'unit "app/9" not found' } },
      { status: 'pending', action: { receiver: 'unit-app-0' } },
      { error: { code: 'not found', message: 'machine 7 not found' } },
    ]);
  });

  test('Run refuses commands that are longer than a task’s parameters may be', async () => {
    const commands = ':'.repeat(limits.taskParameters.max + 1);
    await expect(call('Run', { commands, units: ['app/0'] })).rejects.toMatchObject({
      code: 'quota limit exceeded',
      message: 'parameters: 1048577 bytes exceed the limit of 1048576',
    });
  });

  test('Run keeps a command that sets a secret sealed, for its agent only, and no longer than the task', async () => {
    const command = 'secret-add password=hush';
    for (let n = 0; n < 2; n++) await call('Run', { commands: command, units: ['app/0'] });
    const actions = [{ receiver: 'unit-app-0', name: 'juju-exec', parameters: { command } }];
    await call('EnqueueOperation', { actions });
    const tasks = () => [...callers.view().list('task')].sort((a, b) => Number(a.id) - Number(b.id));
    const stored = JSON.stringify(tasks());
    expect(stored).not.toContain('hush');
    expect(tasks()).toHaveLength(3);
    for (const task of tasks()) {
      expect(task.parameters['command']).toBe('(hidden: it sets a secret)');
      const { sealer } = callers.context.services;
      expect(taskRecord(task, (sealed) => sealer.open(sealed)).parameters).toMatchObject({ command });
    }
    const [ran, cancelled, gone] = tasks().map(({ id }) => id);
    const outcome = { status: 'completed', message: '', output: {} } as const;
    await callers.change((tx) => finishTask(tx, { task: ran!, outcome }));
    await call('Cancel', { entities: [{ tag: `action-${cancelled!}` }] });
    expect(tasks().map(({ id, sealed }) => [id, sealed !== undefined])).toEqual([
      [ran, false],
      [cancelled, false],
      [gone, true],
    ]);
  });

  test.each(['juju-run x', 'sudo juju-exec -u app/0 id'])('Run refuses the command %s', async (commands) => {
    await expect(call('Run', { commands, units: ['app/0'] })).rejects.toMatchObject({
      code: 'not supported',
      message: `cannot use "${commands}" as an action command`,
    });
  });

  test('Run refuses a request without a command or target, or with an unknown application', async () => {
    await expect(call('Run', { commands: ' ', units: ['app/0'] })).rejects.toThrow('no commands specified');
    await expect(call('Run', { commands: 'id', units: null })).rejects.toThrow('no targets specified');
    await expect(call('Run', { commands: 'id', applications: ['none'] })).rejects.toMatchObject({
      code: 'not found',
    });
  });

  test('a unit that waits for its requirements cannot run anything, and says what it waits for', async () => {
    await callers.addCharm('waiter', { requires: { db: { interface: 'mysql', optional: false } } });
    await callers.call('Application', 'Deploy', {
      applications: [{ application: 'waiter', 'charm-url': 'local:waiter-0', 'num-units': 2 }],
    });
    const error = {
      code: 'not assigned',
      message: 'unit "waiter/0" is not on a machine yet: missing relation: db (mysql)',
    };
    const run = (target: object): Promise<Enqueued> => call<Enqueued>('Run', { commands: 'id', ...target });
    expect((await run({ units: ['waiter/0'] })).actions).toEqual([{ error }]);
    await expect(run({ applications: ['waiter'] })).rejects.toMatchObject(error);
    expect((await enqueue({ receiver: 'unit-waiter-0' })).actions).toEqual([{ error }]);
    await callers.change((tx) => {
      const { unplaced: _, ...unit } = tx.get('unit', 'waiter/1')!;
      tx.put('unit', 'waiter/1', { ...unit, machine: '0' });
    });
    const { actions } = await run({ applications: ['waiter'] });
    expect(actions.map((one) => one.action?.receiver)).toEqual(['unit-waiter-1']);
  });

  test('RunOnAllMachines runs on all machines', async () => {
    const { actions } = await call<Enqueued>('RunOnAllMachines', { commands: 'id', timeout: 0 });
    expect(actions.map((one) => one.action?.receiver)).toEqual(['machine-0', 'machine-1']);
  });
});
