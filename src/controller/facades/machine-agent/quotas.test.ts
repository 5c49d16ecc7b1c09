/** Tests of the limits on what an agent can make the controller store. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { deployApplication } from '../../transactions/begin/deploy-application.ts';
import { enqueueTasks } from '../../transactions/begin/enqueue-tasks.ts';

const backup = { kind: 'unit' as const, name: 'web/0', action: { name: 'backup', parameters: {} } };

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  const web = await callers.addCharm('web', {});
  await callers.change((tx) => {
    deployApplication(tx, {
      name: 'web',
      charmUrl: web,
      charmOrigin: { source: 'local' },
      base: { name: 'ubuntu', channel: '24.04/stable' },
      numUnits: 1,
      constraints: {},
      placement: [],
      config: {},
      trust: false,
      endpointBindings: {},
    });
    enqueueTasks(tx, { summary: '', receivers: [backup] });
  });
});
afterEach(() => callers[Symbol.asyncDispose]());

const text = (length: number): string => 'x'.repeat(length);
const call = (method: string, params: object): Promise<unknown> =>
  callers.call('MachineAgent', method, params, { as: { kind: 'machine', machine: '0' } });
const refused = (message: string): object => ({ code: 'quota limit exceeded', message });

test('a hook commit that exceeds a limit is refused whole, and the same one within it is committed', async () => {
  const value = text(limits.charmStateValue.max - 1000);
  const commit = (values: number): object => ({
    unit: 'web/0',
    hookId: 'h1',
    relationSettings: [],
    openPorts: [{ endpoint: '', range: '80/tcp' }],
    closePorts: [],
    charmState: {
      set: Object.fromEntries(Array.from({ length: values }, (_, i) => [`k${i}`, value])),
      delete: [],
    },
    agentState: {},
  });
  const before = callers.store.read().revision;
  await expect(call('CommitHook', commit(33))).rejects.toMatchObject(
    refused('charm state of unit web/0: 2129976 bytes exceed the limit of 2097152'),
  );
  expect(callers.store.read().revision).toBe(before);
  await call('CommitHook', commit(32));
  expect(callers.view().get('unit', 'web/0')?.ports).toEqual({ '': ['80/tcp'] });
});

test('a hook has a maximum number of settings, opened ports and closed ports', async () => {
  const { databagsOfHook, openPorts } = limits;
  let hooks = 0;
  const commit = (settings: number, ports: number): Promise<unknown> => {
    const ranges = Array.from({ length: ports }, (_, n) => ({ endpoint: '', range: `${n + 1}/tcp` }));
    return call('CommitHook', {
      unit: 'web/0',
      hookId: `h${++hooks}`,
      relationSettings: Array(settings).fill({ relation: 7, app: false, set: { a: 'b' } }),
      openPorts: ranges,
      closePorts: ranges,
      agentState: {},
    });
  };
  await commit(databagsOfHook.max, openPorts.max);
  for (const over of [commit(databagsOfHook.max + 1, 0), commit(0, openPorts.max + 1)])
    await expect(over).rejects.toMatchObject({ code: 'quota limit exceeded' });
});

test('a status message may be as long as the limit, and a longer one is refused', async () => {
  const { max } = limits.statusMessage;
  const status = { kind: 'workload', unit: 'web/0', status: 'active' };
  await call('SetStatus', { ...status, message: text(max) });
  await expect(call('SetStatus', { ...status, message: text(max + 1) })).rejects.toMatchObject(
    refused(`status message of workload web/0: ${max + 1} characters exceed the limit of ${max}`),
  );
  expect(callers.view().get('status', 'workload:web/0')?.message).toHaveLength(max);
});

test("a task's output is refused when it is too large, and messages that its log cannot hold are dropped", async () => {
  const [task] = callers.view().list('task');
  const { id } = task!;
  await call('StartTask', { id });
  const message = text(limits.taskLog.max / 2 - 1000);
  await call('LogTask', { id, message });
  await call('LogTask', { id, message });
  await call('LogTask', { id, message: text(3000) });
  await call('LogTask', { id, message: 'dropped' });
  const output = { a: text(limits.taskOutput.max) };
  await expect(call('FinishTask', { id, status: 'completed', message: '', output })).rejects.toMatchObject({
    code: 'quota limit exceeded',
  });
  await expect(
    call('FinishTask', {
      id,
      status: 'completed',
      message: '',
      output: {},
      revealed: { a: text(limits.taskSealedOutput.max) },
    }),
  ).rejects.toMatchObject({ code: 'quota limit exceeded' });
  await call('FinishTask', { id, status: 'completed', message: '', output: {} });
  expect(callers.view().get('task', id)).toMatchObject({
    status: 'completed',
    log: [{ message }, { message }, { message: expect.stringContaining('is full') as string }],
  });
});

test('log records may be as many and as long as the limits', async () => {
  const { logMessage, logRecords, logWords } = limits;
  const time = '2026-01-01T00:00:00.000Z';
  const record = { entity: 'unit-web-0', time, level: 'INFO', module: 'm', message: '' };
  const many = (count: number): object => ({ records: Array(count).fill(record) });
  await call('Log', many(logRecords.max));
  await expect(call('Log', many(logRecords.max + 1))).rejects.toMatchObject({ code: 'quota limit exceeded' });
  await call('Log', { records: [{ ...record, message: text(logMessage.max) }] });
  await expect(
    call('Log', { records: [{ ...record, message: text(logMessage.max + 1) }] }),
  ).rejects.toMatchObject({ code: 'quota limit exceeded' });
  const rest = record.entity.length + time.length + record.level.length;
  await call('Log', { records: [{ ...record, module: text(logWords.max - rest) }] });
  await expect(
    call('Log', { records: [{ ...record, module: text(logWords.max - rest + 1) }] }),
  ).rejects.toMatchObject({ code: 'quota limit exceeded' });
  expect(callers.logged).toHaveLength(logRecords.max + 2);
});

test('a unit whose agent starts nothing has a maximum number of waiting tasks', async () => {
  const exec = { commands: 'true', units: ['web/0'], timeout: 0 };
  const receivers: (typeof backup)[] = Array(limits.queuedTasksOfReceiver.max - 1).fill(backup);
  await callers.change((tx) => enqueueTasks(tx, { summary: '', receivers }));
  await expect(callers.call('Action', 'Run', exec)).rejects.toMatchObject(
    refused('waiting tasks of unit web/0: 1001 entries exceed the limit of 1000'),
  );
  const [task] = callers.view().list('task');
  await call('StartTask', { id: task!.id });
  await callers.call('Action', 'Run', exec);
});

test('the summary of an operation on very many units is short', async () => {
  const summary = Array.from({ length: 100_000 }, (_, i) => `unit-web-${i}`).join(',');
  await callers.change((tx) => enqueueTasks(tx, { summary, receivers: [backup] }));
  expect([...callers.view().list('operation')].at(-1)?.summary).toMatch(/^unit-web-0,.*…$/);
});

test('a user without any right has a maximum number of stored credentials', async () => {
  await callers.addUser('bob');
  const { max } = limits.credentialsOfUser;
  const credential = { 'auth-type': 'userpass', attrs: { username: 'bob', password: 'secret' } };
  const credentials = Array.from({ length: max + 5 }, (_, i) => ({
    tag: `cloudcred-home_bob_c${i}`,
    credential,
  }));
  const update = (): Promise<{ results: { error?: unknown }[] }> =>
    callers.call('Cloud', 'UpdateCredentialsCheckModels', { credentials, force: false }, { as: 'bob' });
  const { results } = await update();
  expect(results.filter(({ error }) => !error)).toHaveLength(max);
  expect(results.at(-1)?.error).toEqual({
    code: 'quota limit exceeded',
    message: 'credentials of user bob: 101 entries exceed the limit of 100',
  });
  expect(callers.store.read().count('credential', 'owner', 'bob')).toBe(max);
  // Existing credentials can still be updated.
  expect((await update()).results.filter(({ error }) => !error)).toHaveLength(max);
});
