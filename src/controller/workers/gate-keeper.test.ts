import { expect, test } from 'vitest';
import { indexes } from '../../core/documents.ts';
import { systemNextTurn } from '../../kit/clock.ts';
import { silentLog } from '../../kit/log.ts';
import { modelFixture } from '../../testing/model-fixture.ts';
import type { Services } from '../services.ts';
import { addUnits } from '../transactions/begin/add-units.ts';
import { destroyApplication } from '../transactions/end/destroy-application.ts';
import { destroyUnit } from '../transactions/end/destroy-unit.ts';
import { setAfter } from '../transactions/set/set-after.ts';
import { setStatus, type Tx } from '../transactions/tx.ts';
import { createDispatch } from '../watchers/dispatch.ts';
import { GateKeeper } from './gate-keeper.ts';

/** A model with two mysql units that report nothing yet, and the worker over it. Reads of units are counted. */
async function bench({ units = 2 } = {}) {
  const model = await modelFixture();
  await model.deploy('mysql', { numUnits: units });
  const gone = new Set<string>();
  let notice: (modelUuid: string, machine: string) => void = () => undefined;
  let looks = 0;
  const presence = {
    isPresent: (_: string, machine: string) => (looks++, !gone.has(machine)),
    watch: (listener: typeof notice) => {
      notice = listener;
      return () => (notice = () => undefined);
    },
  };
  const dispatch = createDispatch(model.store, indexes);
  const services = { nextTurn: systemNextTurn, dispatch, presence, log: silentLog } as unknown as Services;
  let woken = 0;
  const create = () =>
    new GateKeeper({ store: model.store, services, modelUuid: model.uuid, wake: () => void woken++ });
  let worker = create();
  const report = (unit: string, workload = 'active', message = '', agent = 'idle') =>
    model.change((tx) => {
      setStatus(tx, 'unit-agent', unit, agent);
      setStatus(tx, 'workload', unit, workload, message);
    });
  return {
    model,
    report,
    change: <T>(fn: (tx: Tx) => T) => model.change(fn),
    restart: () => {
      worker.stop();
      worker = create();
    },
    pass: () => worker.pass(new AbortController().signal),
    /** What an application waits for, of its gates; undefined: it is deployed. */
    waits: (name = 'wordpress') =>
      model
        .view()
        .get('application', name)
        ?.pending?.missing.map(({ applications, health }) => `${applications.join()} ${health}`),
    opened: (name = 'wordpress') => {
      const { after = {} } = model.view().get('application', name) ?? {};
      return Object.keys(after).filter((one) => after[one]?.opened !== undefined);
    },
    /** Number of calls of wake, and of units looked at, since the last question. */
    counts: () => {
      const counts = { woken, looks };
      woken = looks = 0;
      return counts;
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

test('a gate opens when all units of its application are healthy, and stays open', async () => {
  await using b = await bench();
  await b.model.deploy('wordpress', { numUnits: 1, after: { mysql: '' } });
  await b.report('mysql/0');
  await b.pass();
  expect(b.waits()).toEqual(['mysql active']);
  expect(b.model.view().get('unit', 'wordpress/0')?.machine).toBeUndefined();
  await b.report('mysql/1');
  await b.pass();
  expect(b.waits()).toBeUndefined();
  expect(b.opened()).toEqual(['mysql']);
  await b.report('mysql/0', 'blocked');
  await b.pass();
  await b.change((tx) => addUnits(tx, { application: 'wordpress', count: 1, placement: [] }));
  expect(b.model.view().get('unit', 'wordpress/1')?.machine, 'new units do not wait').toBeDefined();
});

test.each<[string, Parameters<Awaited<ReturnType<typeof bench>>['report']>]>([
  ['a workload that is not active', ['mysql/0', 'maintenance']],
  ['an agent that works', ['mysql/0', 'active', '', 'executing']],
  ['an agent in error', ['mysql/0', 'active', '', 'error']],
])('a gate stays closed for %s', async (_, reported) => {
  await using b = await bench({ units: 1 });
  await b.model.deploy('wordpress', { after: { mysql: 'active' } });
  await b.report(...reported);
  await b.pass();
  expect(b.waits()).toEqual(['mysql active']);
});

test('each of several gates opens by itself, and the last lets the application go', async () => {
  await using b = await bench({ units: 1 });
  const health = 'workload-message=="up"';
  await b.model.deploy('wordpress', { name: 'blog', after: { mysql: health, wordpress: '' } });
  await b.model.deploy('wordpress', { name: 'shop', after: { mysql: '' } });
  await b.report('mysql/0');
  await b.pass();
  expect([b.waits('shop'), b.waits('blog')]).toEqual([undefined, [`mysql ${health}`, 'wordpress active']]);
  await b.report('mysql/0', 'waiting', 'up');
  await b.pass();
  expect(b.waits('blog')).toEqual(['wordpress active']);
  await b.model.deploy('wordpress');
  await b.pass();
  expect(b.waits('blog'), 'wordpress/0 has reported nothing').toEqual(['wordpress active']);
  await b.report('wordpress/0');
  await b.pass();
  expect(b.waits('blog')).toBeUndefined();
});

test('an application without units is not healthy, nor is one whose units wait', async () => {
  await using b = await bench({ units: 1 });
  await b.model.deploy('wordpress', { numUnits: 0, name: 'none' });
  await b.model.deploy('wordpress', { name: 'waits', after: { none: 'workload-status!="error"' } });
  await b.model.deploy('wordpress', { after: { waits: 'workload-status!="error"' } });
  await b.pass();
  expect([b.waits('waits')?.length, b.waits()?.length]).toEqual([1, 1]);
});

test('a unit that dies is not waited for', async () => {
  await using b = await bench();
  await b.change((tx) => tx.put('unit', 'mysql/1', { ...tx.get('unit', 'mysql/1')!, deployed: true }));
  await b.model.deploy('wordpress', { after: { mysql: '' } });
  await b.report('mysql/0');
  await b.pass();
  expect(b.waits()).toEqual(['mysql active']);
  await b.change((tx) => void destroyUnit(tx, { unit: 'mysql/1' }));
  await b.pass();
  expect(b.waits()).toBeUndefined();
});

test('a lost agent keeps a gate closed until it is back, which wakes the worker', async () => {
  await using b = await bench({ units: 1 });
  const { machine = '' } = b.model.view().get('unit', 'mysql/0')!;
  await b.model.deploy('wordpress', { after: { mysql: '' } });
  b.setPresent(machine, false);
  await b.report('mysql/0');
  await b.pass();
  expect(b.waits()).toEqual(['mysql active']);
  b.counts();
  b.setPresent(machine, true);
  expect(b.counts().woken).toBe(1);
  await b.pass();
  expect(b.waits()).toBeUndefined();
});

test('an application that goes takes its health along, and another of its name opens the gate', async () => {
  await using b = await bench({ units: 1 });
  await b.model.deploy('wordpress', { after: { mysql: '' } });
  await b.pass();
  await b.change((tx) => void destroyApplication(tx, { application: 'mysql' }));
  await b.report('mysql/0');
  await b.pass();
  expect(b.waits(), 'it is being removed').toEqual(['mysql active']);
  await b.change((tx) => {
    const units = [...tx.find('unit', 'application', 'mysql')];
    for (const { name } of units) tx.remove('unit', name);
    tx.remove('application', 'mysql');
  });
  await b.pass();
  expect(b.waits()).toEqual(['mysql active']);
  await b.model.deploy('mysql');
  await b.pass();
  expect(b.waits()).toEqual(['mysql active']);
  const [unit] = [...b.model.view().find('unit', 'application', 'mysql')];
  await b.report(unit!.name);
  await b.pass();
  expect(b.waits()).toBeUndefined();
});

test('a worker that starts anew opens what became healthy while there was none', async () => {
  await using b = await bench({ units: 1 });
  await b.model.deploy('wordpress', { after: { mysql: '' } });
  await b.pass();
  b.restart();
  await b.report('mysql/0');
  b.restart();
  await b.pass();
  expect(b.waits()).toBeUndefined();
});

test('gates that are changed wait for the new ones only, and open ones stay open', async () => {
  await using b = await bench({ units: 1 });
  await b.model.deploy('wordpress', { name: 'shop' });
  await b.model.deploy('wordpress', { after: { shop: '', mysql: '' } });
  await b.report('mysql/0');
  await b.pass();
  expect([b.waits(), b.opened()]).toEqual([['shop active'], ['mysql']]);
  await b.change((tx) => setAfter(tx, { application: 'wordpress', after: { mysql: 'name=="x"', logs: '' } }));
  await b.report('shop/0');
  await b.pass();
  expect([b.waits(), b.opened()]).toEqual([['logs active'], ['mysql']]);
  await b.change((tx) => setAfter(tx, { application: 'wordpress', after: {} }));
  expect(b.waits()).toBeUndefined();
  expect(b.model.view().get('application', 'wordpress')?.after).toBeUndefined();
});

test('units that nothing waits for do not wake the worker', async () => {
  await using b = await bench();
  await b.model.deploy('wordpress', { after: { mysql: '' } });
  await b.model.deploy('wordpress', { name: 'shop' });
  await b.report('mysql/0');
  await b.report('mysql/1');
  await b.pass();
  await b.pass();
  b.counts();
  await b.report('mysql/0', 'blocked');
  await b.report('shop/0');
  expect(b.counts()).toEqual({ woken: 0, looks: 0 });
});

test('a report of one unit costs one look, however many units there are and applications that wait', async () => {
  await using b = await bench({ units: 50 });
  for (let n = 0; n < 20; n++) await b.model.deploy('wordpress', { name: `w${n}`, after: { mysql: '' } });
  await b.pass();
  expect(b.counts().looks).toBe(50);
  for (let n = 0; n < 49; n++) {
    await b.report(`mysql/${n}`);
    await b.pass();
  }
  expect(b.counts().looks).toBe(49);
  await b.model.deploy('wordpress', { name: 'last', after: { mysql: 'active' } });
  await b.report('mysql/49');
  await b.pass();
  expect(b.counts().looks).toBe(1);
  expect([...b.model.view().find('application', 'pending', 'pending')]).toEqual([]);
});
