import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from '../../client/calls.ts';
import { testController, type TestController } from '../../testing/controller.ts';
import { eventually } from '../../testing/eventually.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { newModel, testOperator } from '../../testing/operator.ts';
import type { ModelSession } from '../sessions.ts';
import { resultsOf, type TaskEvent } from './results.ts';
import { hasFailed } from './operation.ts';
import { runCommands, type Commands } from './run-commands.ts';

let controller: TestController;
beforeAll(async () => (controller = await testController()));
afterAll(() => controller[Symbol.asyncDispose]());

async function withMachine(name: string): Promise<ModelSession & AsyncDisposable> {
  const session = await newModel(controller, name);
  await call(session.connection, 'MachineManager', 'AddMachines', {
    params: [
      {
        base: { name: 'ubuntu', channel: '24.04/stable' },
        constraints: {},
        jobs: ['JobHostUnits'],
        'parent-id': '',
        'container-type': '',
        'instance-id': '',
        nonce: '',
      },
    ],
  });
  return session;
}

const commands: Commands = {
  commands: 'true',
  timeoutMs: 60_000,
  targets: 'all machines',
  parallel: false,
  executionGroup: '',
};

test('runCommands enqueues a task for each target, and returns the reasons why other tasks were refused', async () => {
  await using session = await withMachine('run');
  const { tasks, refused } = await runCommands(session.connection, {
    ...commands,
    targets: { machines: ['0', '7'], applications: [], units: [] },
  });
  expect(tasks).toMatchObject([{ receiver: '0', receiverTag: 'machine-0' }]);
  expect(refused).toEqual([expect.stringContaining('machine 7 not found')]);
});

test('resultsOf resolves when the tasks have ended, and reports tasks that take long', async () => {
  await using session = await withMachine('results');
  const { tasks } = await runCommands(session.connection, commands);
  const clock = new ManualClock();
  const operator = testOperator<TaskEvent>({ clock });
  const results = resultsOf(operator, session.connection, tasks, { waitMs: undefined });
  clock.advance(2000);
  await eventually(() => expect(operator.events).toEqual([{ kind: 'waiting for tasks', open: 1, of: 1 }]));
  await call(session.connection, 'Action', 'Cancel', { entities: tasks.map(({ tag }) => ({ tag })) });
  const [result] = await results;
  expect(result).toMatchObject({ status: 'cancelled' });
  expect(hasFailed(result!)).toBe(true);
});

test('resultsOf names the targets whose tasks have not ended in time', async () => {
  await using session = await withMachine('late');
  const { tasks } = await runCommands(session.connection, commands);
  const clock = new ManualClock();
  const results = resultsOf(testOperator<TaskEvent>({ clock }), session.connection, tasks, { waitMs: 1000 });
  clock.advance(1000);
  await expect(results).rejects.toThrow('timed out waiting for results from: machine 0');
});

test.each<[string, Parameters<typeof hasFailed>[0], boolean]>([
  ['completed with code 0', { status: 'completed', output: { 'return-code': 0 } }, false],
  ['completed with code 3', { status: 'completed', output: { 'return-code': 3 } }, true],
  ['failed by action-fail with code 0', { status: 'failed', output: { 'return-code': 0 } }, false],
  ['failed with code 1', { status: 'failed', output: { 'return-code': 1 } }, true],
  ['failed without a program', { status: 'failed' }, true],
  ['cancelled', { status: 'cancelled' }, true],
  ['unknown', { error: { message: 'task 9 not found', code: 'not found' } }, true],
])('a task that is %s is a failure of its command: %#', (_, result, failed) =>
  expect(hasFailed(result)).toBe(failed),
);
