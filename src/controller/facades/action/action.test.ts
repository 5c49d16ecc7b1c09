import { createSecretKey } from 'node:crypto';
import { createSealer } from '../../sealer.ts';
import { taskRecord } from '../../watchers/agent-records.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { defined } from '../../../core/defined.ts';
import { call, callers, enqueue, type Enqueued, prepareModel } from '../../../testing/action-calls.ts';

prepareModel();

describe('tasks and operations', () => {
  let operation: string;
  let tasks: string[];
  beforeEach(async () => {
    const made = await enqueue({ receiver: 'unit-app-0' }, { receiver: 'unit-app-1' });
    operation = made.operation;
    tasks = made.actions.map((one) => one.action!.tag);
  });
  const finish = (tag: string, status: 'completed' | 'failed' | 'running'): Promise<void> =>
    callers.change((tx) => {
      const id = tag.slice('action-'.length);
      const times = { started: tx.now, ...defined({ completed: status === 'running' ? undefined : tx.now }) };
      tx.put('task', id, {
        ...tx.get('task', id)!,
        ...times,
        status,
        message: 'm',
        output: { 'return-code': 0 },
      });
    });

  test('Actions reports the progress of tasks', async () => {
    await finish(tasks[0]!, 'completed');
    expect(await call('Actions', { entities: [{ tag: tasks[0] }, { tag: 'action-99' }] })).toMatchObject({
      results: [
        {
          status: 'completed',
          message: 'm',
          output: { 'return-code': 0 },
          completed: '2026-01-01T00:00:00.000Z',
        },
        { error: { code: 'not found' } },
      ],
    });
  });

  test('an output with contents of secrets is sealed, and shown to those who may write only', async () => {
    const id = tasks[0]!.slice('action-'.length);
    const outcome = { status: 'completed', message: '', output: { stdout: '*****' } };
    const as = { kind: 'machine', machine: '0' } as const;
    await callers.call(
      'MachineAgent',
      'FinishTask',
      { id, ...outcome, revealed: { stdout: 'needle' } },
      { as },
    );
    expect(JSON.stringify(callers.view().get('task', id))).not.toContain('needle');
    await callers.addUser('bob');
    const seen = async (user: string): Promise<unknown[]> => {
      const actions = await call('Actions', { entities: [{ tag: tasks[0] }] }, { as: user });
      const operations = await call('Operations', { entities: [{ tag: operation }] }, { as: user });
      const listed = await call('ListOperations', {}, { as: user });
      return [actions, operations, listed].map((one) => /needle|\*{5}/.exec(JSON.stringify(one))?.[0]);
    };
    expect(await seen('admin')).toEqual(['needle', 'needle', 'needle']);
    await callers.grant('bob', 'read');
    expect(await seen('bob')).toEqual(['*****', '*****', '*****']);
    await callers.grant('bob', 'write');
    expect(await seen('bob')).toEqual(['needle', 'needle', 'needle']);
  });

  test('a task whose sealed output cannot be opened is listed among the others, as readers see it', async () => {
    const id = tasks[0]!.slice('action-'.length);
    const sealed = createSealer(createSecretKey(Buffer.alloc(32, 7))).seal('{"stdout":"needle"}');
    await callers.change((tx) => {
      const task = tx.get('task', id)!;
      tx.put('task', id, { ...task, output: { stdout: '*****' }, sealedOutput: sealed });
    });
    const listed = await call<{ results: { actions: { output?: unknown; action: object }[] }[] }>(
      'ListOperations',
      {},
    );
    expect(listed.results[0]!.actions).toHaveLength(tasks.length);
    expect(listed.results[0]!.actions.map(({ output }) => output)).toContainEqual({ stdout: '*****' });
    expect(JSON.stringify(listed)).toContain('"file":"f"');
  });

  test('parameters are sealed, and shown to those who may write only; the agent gets them', async () => {
    const id = tasks[0]!.slice('action-'.length);
    const task = callers.view().get('task', id)!;
    expect(JSON.stringify(task)).not.toContain('"f"');
    expect(task.parameters).toEqual({ file: '*****', level: '*****' });
    const { sealer } = callers.context.services;
    expect(taskRecord(task, (sealed) => sealer.open(sealed)).parameters).toMatchObject({ file: 'f' });
    await callers.addUser('bob');
    await callers.grant('bob', 'read');
    const seen = async (user: string): Promise<unknown> =>
      (
        await call<{ results: { action: { parameters: unknown } }[] }>(
          'Actions',
          { entities: [{ tag: tasks[0] }] },
          { as: user },
        )
      ).results[0]!.action.parameters;
    expect(await seen('admin')).toMatchObject({ file: 'f' });
    expect(await seen('bob')).toEqual({ file: '*****', level: '*****' });
  });

  test('a refused parameter value is named in the answer, and is in no record', async () => {
    const actions = [{ receiver: 'unit-app-0', name: 'backup', parameters: { file: ['needle'] } }];
    const answer = await call('EnqueueOperation', { actions });
    expect(JSON.stringify(answer)).toContain('given [\\"needle\\"]');
    const records = ['task', 'operation'] as const;
    const kept = JSON.stringify(records.map((kind) => [...callers.view().list(kind)]));
    expect(kept).toContain('validation failed: (root).file : must be of type string');
    expect(kept).not.toContain('needle');
  });

  describe('WatchActionsProgress', () => {
    const agent = (method: string, params: object): Promise<unknown> =>
      callers.call('MachineAgent', method, params, { as: { kind: 'machine', machine: '0' } });
    const log = (message: string): Promise<unknown> =>
      agent('LogTask', { id: tasks[0]!.slice('action-'.length), message });
    const watch = async (...tags: string[]) =>
      (
        await call<{ results: { 'watcher-id': string; changes?: string[]; error?: object }[] }>(
          'WatchActionsProgress',
          { entities: tags.map((tag) => ({ tag })) },
        )
      ).results;
    const watcher = <R = { changes: string[] }>(id: string, method = 'Next'): Promise<R> =>
      callers.call<R>('StringsWatcher', method, {}, { id });
    const line = (message: string, seconds = 0): object => ({
      timestamp: `2026-01-01T00:00:0${seconds}.000Z`,
      message,
    });
    const parsed = (changes: readonly string[] | undefined): unknown[] =>
      (changes ?? []).map((text) => JSON.parse(text) as unknown);
    beforeEach(() => agent('StartTask', { id: tasks[0]!.slice('action-'.length) }));

    test('WatchActionsProgress reports the present lines, then each new line once', async () => {
      const [early] = await watch(tasks[0]!);
      expect(early).toEqual({ 'watcher-id': expect.stringMatching(/./) as string });
      const news = watcher(early!['watcher-id']);
      await log('one');
      expect(parsed((await news).changes)).toEqual([line('one')]);
      callers.advance(1000);
      await log('two');
      await log('three');
      expect(parsed((await watcher(early!['watcher-id'])).changes)).toEqual([
        line('two', 1),
        line('three', 1),
      ]);
      const [late] = await watch(tasks[0]!);
      expect(parsed(late!.changes)).toEqual([line('one'), line('two', 1), line('three', 1)]);
      const more = [early!, late!].map((one) => watcher(one['watcher-id']));
      await log('four');
      for (const one of more) expect(parsed((await one).changes)).toEqual([line('four', 1)]);
      expect(await call('Actions', { entities: [{ tag: tasks[0] }, { tag: tasks[1] }] })).toMatchObject({
        results: [
          { log: [line('one'), line('two', 1), line('three', 1), line('four', 1)] },
          expect.not.objectContaining({ log: expect.anything() as unknown }),
        ],
      });
    });

    test('WatchActionsProgress waits through other changes, and ends when it is stopped', async () => {
      const ids = (await watch(...tasks)).map((one) => one['watcher-id']);
      expect(new Set(ids).size).toBe(2);
      const [next, otherNext] = ids.map((id) => watcher(id));
      await log('one');
      await agent('FinishTask', {
        id: tasks[0]!.slice('action-'.length),
        status: 'completed',
        message: '',
        output: {},
      });
      expect(parsed((await next)!.changes)).toEqual([line('one')]);
      await watcher(ids[1]!, 'Stop');
      await expect(otherNext).rejects.toMatchObject({ code: 'stopped' });
      await expect(watcher(ids[1]!)).rejects.toMatchObject({ code: 'not found' });
      await watcher(ids[1]!, 'Stop');
    });

    test('WatchActionsProgress reports errors beside each task', async () => {
      expect(await watch('action-99', 'unit-app-0', tasks[0]!)).toMatchObject([
        { 'watcher-id': '', error: { code: 'not found' } },
        { 'watcher-id': '', error: {} },
        { 'watcher-id': expect.stringMatching(/./) as string },
      ]);
      const all = await callers.call<{ 'watcher-id': string }>('Client', 'WatchAll');
      await expect(watcher(all['watcher-id'])).rejects.toThrow('unknown watcher id');
    });
  });

  test('the status of an operation follows its tasks', async () => {
    const status = async (): Promise<string> =>
      (await call<{ results: { status: string }[] }>('Operations', { entities: [{ tag: operation }] }))
        .results[0]!.status;
    expect(await status()).toBe('pending');
    await finish(tasks[0]!, 'failed');
    expect(await status()).toBe('pending');
    await finish(tasks[1]!, 'running');
    expect(await status()).toBe('running');
    await finish(tasks[1]!, 'completed');
    expect(await status()).toBe('failed');
    expect(await call('Operations', { entities: [{ tag: 'operation-99' }] })).toMatchObject({
      results: [{ error: { code: 'not found' } }],
    });
  });

  test('ListOperations is newest first, filtered and cut', async () => {
    const second = (await call<Enqueued>('Run', { commands: 'id', machines: ['1'] })).operation;
    const list = async (
      query: Record<string, unknown>,
    ): Promise<{ found: string[]; truncated: boolean | undefined }> => {
      const { results, truncated } = await call<{ results: { operation: string }[]; truncated?: boolean }>(
        'ListOperations',
        query,
      );
      return { found: results.map((one) => one.operation), truncated };
    };
    expect(await list({})).toEqual({ found: [second, operation], truncated: undefined });
    expect(await list({ limit: 1 })).toEqual({ found: [second], truncated: true });
    expect((await list({ limit: 1, offset: 1 })).found).toEqual([operation]);
    expect((await list({ applications: ['app'] })).found).toEqual([operation]);
    expect((await list({ machines: ['1'] })).found).toEqual([second]);
    expect((await list({ actions: ['backup'], status: ['completed'] })).found).toEqual([]);
  });

  test('Cancel cancels pending tasks and has running ones ended', async () => {
    const [, running] = tasks as [string, string];
    await finish(running, 'running');
    expect(await call('Cancel', { entities: tasks.map((tag) => ({ tag })) })).toMatchObject({
      results: [{ status: 'cancelled' }, { status: 'aborting' }],
    });
    const operations = (): Promise<unknown> => call('Operations', { entities: [{ tag: operation }] });
    expect(await operations()).toMatchObject({ results: [{ status: 'aborting' }] });
    const machine = callers.view().get('unit', 'app/1')!.machine!;
    await callers.call(
      'MachineAgent',
      'FinishTask',
      { id: running.slice('action-'.length), status: 'aborted', message: 'action terminated', output: {} },
      { as: { kind: 'machine', machine } },
    );
    expect(await call('Actions', { entities: [{ tag: running }] })).toMatchObject({
      results: [{ status: 'aborted', message: 'action terminated' }],
    });
    expect(await operations()).toMatchObject({ results: [{ status: 'aborted' }] });
    expect(await call('Cancel', { entities: [{ tag: running }] })).toMatchObject({
      results: [{ status: 'aborted' }],
    });
  });
});

test('ApplicationsCharmsActions describes the actions of charms', async () => {
  const entities = [{ tag: 'application-app' }, { tag: 'application-none' }];
  expect(await call('ApplicationsCharmsActions', { entities })).toMatchObject({
    results: [
      {
        'application-tag': 'application-app',
        actions: { backup: { description: 'Backs up', params: { required: ['file'] } } },
      },
      { error: { code: 'not found' } },
    ],
  });
});
