import { expect, test } from 'vitest';
import { indexes } from '../../core/documents.ts';
import { systemNextTurn } from '../../kit/clock.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { modelFixture } from '../../testing/model-fixture.ts';
import type { Services } from '../services.ts';
import { setUnitCharm } from '../transactions/agent/unit-agent.ts';
import { destroyUnit } from '../transactions/end/destroy-unit.ts';
import { abortRollout, beginRollout } from '../transactions/change/rollout.ts';
import { setStatus } from '../transactions/tx.ts';
import { createDispatch } from '../watchers/dispatch.ts';
import { Rollouts } from './rollouts.ts';

/** A model with three healthy mysql units, and the worker over it. */
async function bench() {
  const model = await modelFixture();
  await model.deploy('mysql', { numUnits: 3 });
  await model.deploy('wordpress');
  await model.change((tx) => {
    const charm = tx.get('charm', 'local:mysql-0')!;
    tx.put('charm', 'local:mysql-1', { ...charm, url: 'local:mysql-1', revision: 1 });
  });
  const clock = new ManualClock();
  const gone = new Set<string>();
  let notice: (modelUuid: string, machine: string) => void = () => undefined;
  const presence = {
    isPresent: (_: string, machine: string) => !gone.has(machine),
    watch: (listener: typeof notice) => {
      notice = listener;
      return () => (notice = () => undefined);
    },
  };
  const dispatch = createDispatch(model.store, indexes);
  const services = { clock, nextTurn: systemNextTurn, dispatch, presence } as unknown as Services;
  let woken = 0;
  const create = () =>
    new Rollouts({ store: model.store, services, modelUuid: model.uuid, wake: () => void woken++ });
  const heal = (unit: string) =>
    model.change((tx) => {
      setStatus(tx, 'unit-agent', unit, 'idle');
      setStatus(tx, 'workload', unit, 'active');
    });
  for (const unit of ['mysql/0', 'mysql/1', 'mysql/2']) await heal(unit);
  let worker = create();
  return {
    model,
    clock,
    heal,
    create,
    worker: () => worker,
    restart: () => {
      worker.stop();
      worker = create();
    },
    /** Runs one pass, after the rest that the last one asked for. */
    pass: () => {
      clock.advance(2_000);
      model.advance(1_000);
      return worker.pass(new AbortController().signal);
    },
    begin: (maxUnavailable = '1') =>
      model.change((tx) =>
        beginRollout(tx, {
          application: 'mysql',
          charmUrl: 'local:mysql-1',
          charmOrigin: { source: 'local' },
          config: {},
          endpointBindings: {},
          force: false,
          forceBase: false,
          forceUnits: false,
          rolling: { maxUnavailable, waitFor: '', pauseAfterCanary: false },
        }),
      ),
    take: (unit: string) => model.change((tx) => setUnitCharm(tx, { unit, charmUrl: 'local:mysql-1' })),
    batch: () => [...model.view().find('unit', 'batch', 'mysql')].map(({ name }) => name),
    rollout: () => model.view().get('application', 'mysql')?.rollout,
    /** Number of calls of wake since the last question. */
    woken: () => {
      const count = woken;
      woken = 0;
      return count;
    },
    setPresent: (machine: string, present: boolean) => {
      if (present) gone.delete(machine);
      else gone.add(machine);
      notice(model.uuid, machine);
    },
    async [Symbol.asyncDispose]() {
      worker.stop();
      await model[Symbol.asyncDispose]();
    },
  };
}

test('each healthy batch is followed by the next, until the roll-out ends', async () => {
  await using b = await bench();
  await b.begin('2');
  await b.pass();
  expect(b.batch()).toEqual(['mysql/0', 'mysql/1']);
  await b.take('mysql/0');
  await b.pass();
  expect(b.rollout()?.batch, 'mysql/1 has not taken the charm').toBe(1);
  await b.take('mysql/1');
  await b.pass();
  expect(b.batch()).toEqual(['mysql/2']);
  await b.take('mysql/2');
  await b.pass();
  expect(b.rollout()).toBeUndefined();
});

test('a worker that starts anew goes on where the last one was', async () => {
  await using b = await bench();
  await b.begin();
  await b.pass();
  await b.take('mysql/0');
  b.restart();
  await b.pass();
  expect(b.batch()).toEqual(['mysql/1']);
  expect(b.rollout()?.batch).toBe(2);
});

test('a unit of the batch that dies is not waited for', async () => {
  await using b = await bench();
  await b.model.change((tx) => tx.put('unit', 'mysql/0', { ...tx.get('unit', 'mysql/0')!, deployed: true }));
  await b.begin();
  await b.pass();
  expect(b.batch()).toEqual(['mysql/0']);
  await b.model.change((tx) => void destroyUnit(tx, { unit: 'mysql/0' }));
  await b.pass();
  expect(b.batch()).toEqual(['mysql/1']);
});

test('a batch waits for the agent of its machine, whose return wakes the worker', async () => {
  await using b = await bench();
  await b.begin();
  await b.pass();
  const { machine = '' } = b.model.view().get('unit', 'mysql/0')!;
  b.setPresent(machine, false);
  await b.take('mysql/0');
  await b.pass();
  expect(b.batch()).toEqual(['mysql/0']);
  b.woken();
  b.setPresent(machine, true);
  expect(b.woken()).toBeGreaterThan(0);
  await b.pass();
  expect(b.batch()).toEqual(['mysql/1']);
});

test('only changes of applications with a roll-out wake the worker', async () => {
  await using b = await bench();
  await b.pass();
  await b.heal('mysql/0');
  b.setPresent('0', false);
  expect(b.woken()).toBe(0);
  b.setPresent('0', true);
  await b.begin();
  expect(b.woken()).toBeGreaterThan(0);
  await b.heal('wordpress/0');
  expect(b.woken()).toBe(0);
  await b.model.change((tx) => abortRollout(tx, 'mysql'));
  expect(b.woken()).toBeGreaterThan(0);
});

test('the worker rests after it has read a batch', async () => {
  await using b = await bench();
  await b.begin('3');
  await b.pass();
  await b.pass();
  await b.take('mysql/0');
  expect(await b.worker().pass(new AbortController().signal)).toBe(3);
  b.clock.advance(3);
  expect(await b.worker().pass(new AbortController().signal)).toBeUndefined();
});
