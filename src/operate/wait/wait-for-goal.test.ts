import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from '../../client/calls.ts';
import { testController, type TestController } from '../../testing/controller.ts';
import { eventually } from '../../testing/eventually.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { newModel, testOperator } from '../../testing/operator.ts';
import { parseGoal, type Goal } from '../../core/goal/goal.ts';
import type { Connection } from '../../client/connection.ts';
import type { FullStatus } from '../../wire/facades/client.ts';
import { application, full, machine, unit } from '../../testing/status-documents.ts';
import { defaultGoals, findEntity, goalKinds, goalTypes, type GoalKind } from './goal.ts';
import { poll, type WaitEvent } from './poll.ts';
import { waitForGoal, type GoalState } from './wait-for-goal.ts';

const goalOf = (query: string, kind: GoalKind): Goal => parseGoal(query, { types: goalTypes, kind });

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

/** A connection that answers with one status after the other, the last one again and again. */
function statuses(...list: readonly FullStatus[]): Connection {
  let next = 0;
  const call = () => Promise.resolve(list[Math.min(next++, list.length - 1)]);
  return { call } as unknown as Connection;
}

const shop = full({
  machines: {
    '0': machine('0', 'started', {
      'ip-addresses': ['10.0.0.1'],
      containers: { '0/lxd/0': machine('0/lxd/0', 'pending') },
    }),
  },
  applications: {
    db: application({
      charm: 'local:db-3',
      exposed: true,
      units: {
        'db/0': unit('active', 'idle', {
          machine: '0',
          leader: true,
          'public-address': '192.0.2.1',
          subordinates: { 'log/0': unit('waiting', 'executing') },
        }),
        'db/1': unit('maintenance', 'allocating', { unplaced: true }),
      },
    }),
    log: application({ 'subordinate-to': ['db'] }),
  },
});

describe('the attributes of a goal', () => {
  test.each([
    ['model', 'shop', 'len(applications) == 2 && len(units) == 3 && len(machines) == 2'],
    ['model', 'shop', '!is-controller && pending == 0 && status == "available"'],
    ['model', 'shop', 'forEach(applications, a => forEach(a.units, u => u.application == a.name))'],
    ['application', 'db', 'exposed && !subordinate && deployable && pending == "" && unplaced == 1'],
    ['application', 'db', 'charm-url == "local:db-3" && base == "ubuntu@24.04" && agents == "allocating"'],
    ['application', 'db', 'len(units) == 2 && forEach(machines, m => m.id == "0")'],
    [
      'application',
      'log',
      'subordinate && forEach(units, u => u.principal == "db/0" && u.machine-id == "0")',
    ],
    ['application', 'log', 'agents == "executing" && len(machines) == 1'],
    ['unit', 'db/0', 'leader && machine == "0" && public-address == "192.0.2.1" && principal == ""'],
    ['unit', 'db/0', 'private-address == "10.0.0.1" && forEach(machines, m => m.status == "started")'],
    ['unit', 'db/1', 'unplaced && machine-id == "" && len(machines) == 0 && agent-status == "allocating"'],
    ['unit', 'log/0', 'subordinate && machine == "" && len(machines) == 1 && workload-status == "waiting"'],
    ['machine', '0/lxd/0', 'container-type == "lxd" && status == "pending"'],
    ['machine', '0', 'container-type == "" && instance-status == "running" && life == "alive"'],
  ] as const)('the %s %s meets the goal %s', (kind, name, query) => {
    expect(goalOf(query, kind).isMet(findEntity(shop, kind, name)!)).toBe(true);
  });

  test.each(goalKinds)('a %s has the declared attributes, and no others', (kind) => {
    const name = { model: 'shop', application: 'db', unit: 'db/0', machine: '0' }[kind];
    const entity = findEntity(shop, kind, name)!;
    expect(Object.keys(entity).sort()).toEqual(Object.keys(goalTypes[kind]).sort());
  });

  test.each([
    ['unit', 'db/9'],
    ['application', 'web'],
    ['machine', '7'],
    ['unit', 'toString'],
  ] as const)('a %s %s that does not exist has no attributes', (kind, name) => {
    expect(findEntity(shop, kind, name)).toBeUndefined();
  });

  test.each(goalKinds)('the default goal of a %s can be parsed', (kind) => {
    expect(goalOf(defaultGoals[kind], kind).reads.get('')).toContain('life');
  });
});

describe('an entity that is removed', () => {
  const wait = (query: string) =>
    waitForGoal(testOperator<WaitEvent<GoalState>>(), statuses(full({}), shop, full({})), {
      kind: 'unit',
      name: 'db/0',
      goal: goalOf(query, 'unit'),
      timeoutMs: 60_000,
    });

  test('ends the wait with an error', async () => {
    await expect(wait('workload-status == "blocked"')).rejects.toMatchObject({
      code: 'not found',
      message: 'unit "db/0" removed',
    });
  });

  test('meets a goal that requires a dead entity', async () => {
    expect(await wait('life == "dead"')).toMatchObject({ name: 'db/0', life: 'dead' });
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
      goal: goalOf('life=="alive"', 'machine'),
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

  test.each([
    ['life == "dead"', { name: 'going', life: 'dead' }],
    ['status == "blocked"', 'model "going" removed'],
  ])('a model that is removed meets %s, or ends the wait: %o', async (query, end) => {
    await using session = await newModel(controller, 'going');
    const operator = testOperator<WaitEvent<GoalState>>();
    const finished = waitForGoal(operator, session.connection, {
      kind: 'model',
      name: 'going',
      goal: goalOf(query, 'model'),
      timeoutMs: 60_000,
    }).catch((error: unknown) => (error as Error).message);
    await eventually(() => expect(operator.events).not.toEqual([]));
    const root = await controller.connect();
    const models = [...controller.running().store.read().in('').list('model')];
    const { uuid } = models.find(({ name }) => name === 'going')!;
    await root.call('ModelManager', 'DestroyModels', { models: [{ 'model-tag': `model-${uuid}` }] });
    await root.close();
    const result = await finished;
    if (typeof end === 'string') expect(result).toBe(end);
    else expect(result).toMatchObject(end);
  });

  test('waitForGoal names the entity that did not meet its goal in time', async () => {
    await using session = await newModel(controller, 'late');
    const goal = { kind: 'model', name: 'late', goal: goalOf('false', 'model'), timeoutMs: 0 } as const;
    await expect(
      waitForGoal(testOperator<WaitEvent<GoalState>>(), session.connection, goal),
    ).rejects.toMatchObject({
      code: 'deadline exceeded',
      message: 'timed out waiting for model "late" to reach the goal state',
    });
  });
});
