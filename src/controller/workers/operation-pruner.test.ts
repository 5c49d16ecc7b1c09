import { expect, test } from 'vitest';
import type { TaskDoc } from '../../core/task/document.ts';
import { indexes } from '../../core/documents.ts';
import { systemNextTurn } from '../../kit/clock.ts';
import { silentLog } from '../../kit/log.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { enqueueTasks } from '../transactions/begin/enqueue-tasks.ts';
import { createDispatch } from '../watchers/dispatch.ts';
import { OperationPruner } from './operation-pruner.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

/** A real store and the real worker; time passes when a test says so. */
interface World extends AsyncDisposable {
  readonly model: ModelFixture;
  /** Adds an operation with this many tasks of this status. Returns its id. */
  operate(status: TaskDoc['status'], tasks?: number, output?: string): Promise<string>;
  configure(config: Record<string, unknown>): Promise<void>;
  run(ms: number): Promise<void>;
  operations(): string[];
  /** Number of turns that the worker left to other work. */
  turns(): number;
}

async function world(): Promise<World> {
  const model = await modelFixture();
  await model.deploy('mysql');
  const dispatch = createDispatch(model.store, indexes);
  let awake = true;
  let turns = 0;
  const pruner = new OperationPruner({
    store: model.store,
    services: {
      clock: { now: model.now, sleep: () => Promise.reject(new Error('nothing sleeps here')) },
      dispatch,
      log: silentLog,
      nextTurn(then) {
        turns++;
        systemNextTurn(then);
      },
    },
    modelUuid: model.uuid,
    wake: () => void (awake = true),
  });
  const { signal } = new AbortController();
  let next: number | undefined;
  const look = async (): Promise<void> => {
    awake = false;
    next = await pruner.pass(signal);
    if (awake) await look();
  };
  return {
    model,
    operate: (status, tasks = 1, output = '') =>
      model.change((tx) => {
        const receiver = { kind: 'unit', name: 'mysql/0', action: { name: 'a', parameters: {} } } as const;
        const { operation, tasks: enqueued } = enqueueTasks(tx, {
          summary: '',
          receivers: Array.from({ length: tasks }, () => receiver),
        });
        const ended = ['pending', 'running', 'aborting'].includes(status) ? {} : { completed: tx.now };
        for (const task of enqueued)
          tx.put('task', task.id, { ...task, status, output: { output }, ...ended });
        return operation.id;
      }),
    configure: (config) =>
      model.store.change((tx) => {
        const doc = tx.get('model', model.uuid)!;
        tx.put('model', model.uuid, { ...doc, config: { ...doc.config, ...config } });
      }, 'test'),
    async run(ms) {
      const end = model.now() + ms;
      if (awake) await look();
      while (next !== undefined && model.now() + next <= end) {
        model.advance(next);
        await look();
      }
      model.advance(end - model.now());
    },
    operations: () => [...model.view().list('operation')].map(({ id }) => id),
    turns: () => turns,
    async [Symbol.asyncDispose]() {
      pruner.stop();
      dispatch.stop();
      await model[Symbol.asyncDispose]();
    },
  };
}

test('an operation that ended two weeks ago is removed with its tasks, and a running one stays', async () => {
  await using fixture = await world();
  const heldBytes = fixture.model.store.held(fixture.model.uuid);
  const old = await fixture.operate('completed', 3);
  const failed = await fixture.operate('failed');
  const running = await fixture.operate('running');
  await fixture.run(13 * day);
  const recent = await fixture.operate('completed');
  expect(fixture.operations()).toEqual([old, failed, running, recent]);
  await fixture.run(3 * day);
  expect(fixture.operations()).toEqual([running, recent]);
  expect([...fixture.model.view().list('task')].map(({ operation }) => operation)).toEqual([running, recent]);
  await fixture.run(20 * day);
  expect(fixture.operations()).toEqual([running]);
  await fixture.model.change((tx) => {
    const [task] = [...tx.list('task')];
    tx.put('task', task!.id, { ...task!, status: 'cancelled', completed: tx.now });
  });
  await fixture.run(16 * day);
  expect(fixture.operations()).toEqual([]);
  expect(fixture.model.store.held(fixture.model.uuid) - heldBytes, 'but for the sequence').toBeLessThan(500);
});

test('a restarted controller prunes within minutes, not after a day', async () => {
  await using fixture = await world();
  await fixture.operate('completed');
  fixture.model.advance(20 * day);
  await fixture.run(10 * minute);
  expect(fixture.operations()).toEqual([]);
});

test('a new maximum age takes effect at once; 0 keeps all', async () => {
  await using fixture = await world();
  await fixture.operate('completed');
  await fixture.configure({ 'max-action-results-age': '0' });
  await fixture.run(60 * day);
  expect(fixture.operations()).toHaveLength(1);
  await fixture.configure({ 'max-action-results-age': '1h' });
  await fixture.run(0);
  expect(fixture.operations()).toEqual([]);
});

test('the oldest operations go when results exceed the size limit, outputs outside of memory included', async () => {
  await using fixture = await world();
  const ids: string[] = [];
  for (let i = 0; i < 4; i++) ids.push(await fixture.operate('completed', 1, 'x'.repeat(400_000)));
  await fixture.configure({ 'max-action-results-size': '1M' });
  await fixture.run(0);
  expect(fixture.operations()).toEqual(ids.slice(2));
});

test('an operation of many tasks goes in batches, and the next look removes what a crash left of one', async () => {
  await using fixture = await world();
  await fixture.operate('completed', 990);
  const half = await fixture.operate('completed', 2);
  await fixture.model.change((tx) => {
    for (const { id } of tx.find('task', 'operation', half)) tx.remove('task', id);
  });
  const before = fixture.model.store.read().revision;
  fixture.model.advance(20 * day);
  await fixture.run(10 * minute);
  expect(fixture.operations()).toEqual([]);
  expect(fixture.model.view().count('task')).toBe(0);
  expect(fixture.model.store.read().revision - before, 'changes of at most 500 documents').toBe(2);
  expect(fixture.turns()).toBeGreaterThanOrEqual(3);
});
