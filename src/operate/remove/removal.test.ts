import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from '../../client/calls.ts';
import { JujuError } from '../../core/errors.ts';
import { systemClock } from '../../kit/clock.ts';
import { testController, type TestController } from '../../testing/controller.ts';
import { newModel, testClient, testOperator } from '../../testing/operator.ts';
import { openController, type ModelSession } from '../sessions.ts';
import type { Unreachable } from '../wait/over-losses.ts';
import type { WaitEvent } from '../wait/poll.ts';
import { destroyModel, planModelRemoval, waitUntilGone, type ModelRemains } from './destroy-model.ts';
import { hostedModels } from './hosted-models.ts';
import { executedPlan, outcome, planRemoval, remove, requiresPrompts, type Removal } from './removal.ts';

let controller: TestController;
beforeAll(async () => (controller = await testController()));
afterAll(() => controller[Symbol.asyncDispose]());

async function addMachine({ connection }: ModelSession, parent = ''): Promise<void> {
  await call(connection, 'MachineManager', 'AddMachines', {
    params: [
      {
        base: { name: 'ubuntu', channel: '24.04/stable' },
        constraints: {},
        jobs: ['JobHostUnits'],
        'parent-id': parent,
        'container-type': parent === '' ? '' : 'lxd',
        'instance-id': '',
        nonce: '',
      },
    ],
  });
}

const machines = (...names: readonly string[]): Removal => ({
  kind: 'machine',
  names,
  force: false,
  noWait: false,
});

describe('a removal', () => {
  test('a removal is planned without a change and then carried out; refused targets remain', async () => {
    await using session = await newModel(controller, 'removals');
    await addMachine(session);
    await addMachine(session, '0');
    await addMachine(session);
    const removal = machines('0', '1');
    const plan = await planRemoval(session, removal);
    expect(plan.targets).toMatchObject([
      { error: { code: 'machine is hosting containers' }, 'force-helps': true },
      { dies: [{ kind: 'machine', names: ['1'], reason: 'asked' }] },
    ]);
    expect((await planRemoval(session, removal)).targets).toEqual(plan.targets);

    const results = await remove(session, removal);
    expect(outcome(removal.names, results)).toMatchObject({
      removed: ['1'],
      requirements: { pending: [], deployable: [] },
    });
    const executed = executedPlan(plan, results);
    expect(executed.targets[0]?.error?.message).toBe(results[0]?.error?.message);
    expect(executed.targets[1]).toEqual(plan.targets[1]);
  });

  test('a removal with force includes the contents of the machine', async () => {
    await using session = await newModel(controller, 'forced');
    await addMachine(session);
    await addMachine(session, '0');
    const forced = { ...machines('0'), force: true, noWait: true };
    const { targets } = await planRemoval(session, forced);
    expect(targets[0]?.dies?.flatMap(({ names }) => names)).toEqual(expect.arrayContaining(['0', '0/lxd/0']));
    expect((await remove(session, forced))[0]?.error).toBeUndefined();
  });

  test.each([
    ['needs confirmation in a model that requires it', { mode: 'requires-prompts' }, true],
    ['needs no confirmation in other models', { mode: '' }, false],
  ])('a removal %s', async (_, config, mustPrompt) => {
    await using session = await newModel(controller, `prompts-${mustPrompt}`, config);
    expect(await requiresPrompts(session)).toBe(mustPrompt);
  });
});

test('destroyModel follows its plan, and waitUntilGone waits until the controller no longer knows the model', async () => {
  const uuid = await controller.addModel('ends');
  const target = { controller: 'ctrl', model: 'admin/ends', uuid };
  const session = await openController(testClient(controller), 'ctrl');
  let { connection } = session;
  const end = {
    destroyStorage: false,
    releaseStorage: false,
    force: false,
    noWait: false,
    timeoutMs: 60_000,
  };
  const names = async (): Promise<string[]> => (await hostedModels(connection)).map(({ name }) => name);
  expect((await planModelRemoval(connection, target, end)).targets[0]?.dies).toMatchObject([
    { kind: 'model', reason: 'asked' },
  ]);
  expect(await names()).toContain('admin/ends');
  expect(await destroyModel(connection, target, end)).toEqual([]);
  // The connection is lost meanwhile, and the controller answers again at the second try.
  await connection.close();
  let tries = 0;
  const again = await openController(testClient(controller), 'ctrl');
  const reopen = () =>
    ++tries === 1
      ? Promise.reject(new JujuError('try again', 'controller "ctrl" cannot be reached'))
      : Promise.resolve(again.connection);
  const operator = testOperator<WaitEvent<ModelRemains | Unreachable>>();
  await waitUntilGone(operator, { connection, reopen }, target, end);
  expect(operator.events).toContainEqual({
    kind: 'waiting',
    state: { unreachable: 'controller "ctrl" cannot be reached' },
  });
  connection = again.connection;
  expect(await names()).not.toContain('admin/ends');
  await connection.close();
});

test('waitUntilGone reports the last known state when the controller does not come back', async () => {
  await using session = await newModel(controller, 'away');
  const { connection, modelUuid: uuid } = session;
  await connection.close();
  const clock = { ...systemClock, now: () => (time += 60_000), sleep: () => Promise.resolve() };
  let time = 0;
  const target = { controller: 'ctrl', model: 'admin/away', uuid };
  const reopen = () => Promise.reject(new JujuError('try again', 'controller "ctrl" cannot be reached'));
  const end = {
    destroyStorage: false,
    releaseStorage: false,
    force: false,
    noWait: false,
    timeoutMs: undefined,
  };
  await expect(waitUntilGone(testOperator({ clock }), { connection, reopen }, target, end)).rejects.toThrow(
    /cannot be reached\nModel "admin\/away" was being removed .* continues when it serves again/,
  );
});
