import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from '../../client/calls.ts';
import { testController, type TestController } from '../../testing/controller.ts';
import { eventually } from '../../testing/eventually.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { newModel, testOperator } from '../../testing/operator.ts';
import { parseGoal } from '../../core/goal.ts';
import { poll, type WaitEvent } from './poll.ts';
import { waitForGoal, type GoalState } from './wait-for-goal.ts';

describe('a goal', () => {
  const entity = { name: 'web', status: 'active', life: 'alive' };
  test.each([
    ['status=="active"', true],
    ["status=='active'", true],
    ['status==active && life=="dying"', false],
    ['status=="error" || life!="dying"', true],
    ['nothing==""', false],
  ])('the goal %s is %s for an active application', (query, met) => {
    expect(parseGoal(query)(entity)).toBe(met);
  });

  test('a goal that is not a comparison is refused', () => {
    expect(() => parseGoal('status')).toThrow('cannot parse "status" in --query');
  });
});

describe('poll', () => {
  test('poll checks less and less often, and reports each check that failed', async () => {
    const clock = new ManualClock();
    const operator = testOperator<WaitEvent<number>>({ clock });
    const askedAt: number[] = [];
    const finished = poll<number>(operator, {
      check: () => Promise.resolve(askedAt.push(clock.now()) < 4 ? askedAt.length : undefined),
      timeoutMs: undefined,
      onTimeout: () => new Error('timeout'),
    });
    for (const [looks, ms] of [50, 75, 112.5].entries()) {
      await eventually(() => expect(operator.events).toHaveLength(looks + 1));
      clock.advance(ms);
    }
    await finished;
    expect(askedAt.map((at) => at - askedAt[0]!)).toEqual([0, 50, 125, 237.5]);
    expect(operator.events).toEqual([1, 2, 3].map((state) => ({ kind: 'waiting', state })));
  });

  test('poll fails with the caller’s error after its timeout', async () => {
    const operator = testOperator<WaitEvent<string>>({ clock: new ManualClock() });
    const never = { check: () => Promise.resolve('never'), timeoutMs: 0 };
    await expect(poll(operator, { ...never, onTimeout: () => new Error('too late') })).rejects.toThrow(
      'too late',
    );
  });
});

describe('waitForGoal', () => {
  let controller: TestController;
  beforeAll(async () => (controller = await testController()));
  afterAll(() => controller[Symbol.asyncDispose]());

  test('waitForGoal waits until the entity exists and meets the goal', async () => {
    await using session = await newModel(controller, 'waits');
    const operator = testOperator<WaitEvent<GoalState>>();
    const finished = waitForGoal(operator, session.connection, {
      kind: 'machine',
      name: '0',
      goal: parseGoal('life=="alive"'),
      timeoutMs: 60_000,
    });
    await eventually(() =>
      expect(operator.events).toContainEqual({ kind: 'waiting', state: { entity: undefined } }),
    );
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
    await finished;
  });

  test('waitForGoal names the entity that did not meet its goal in time', async () => {
    await using session = await newModel(controller, 'late');
    const goal = { kind: 'model', name: 'late', goal: () => false, timeoutMs: 0 } as const;
    await expect(
      waitForGoal(testOperator<WaitEvent<GoalState>>(), session.connection, goal),
    ).rejects.toMatchObject({
      code: 'deadline exceeded',
      message: 'timed out waiting for model "late" to reach the goal state',
    });
  });
});
