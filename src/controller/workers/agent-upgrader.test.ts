import { expect, test } from 'vitest';
import { indexes } from '../../core/documents.ts';
import { silentLog } from '../../kit/log.ts';
import { modelFixture } from '../../testing/model-fixture.ts';
import { createPresence } from '../server/presence.ts';
import type { Services } from '../services.ts';
import { agentStarted } from '../transactions/agent/agent-started.ts';
import { forgetFailedPrograms, setModelProgram } from '../transactions/change/agent-program.ts';
import { createDispatch } from '../watchers/dispatch.ts';
import { AgentUpgrader } from './agent-upgrader.ts';

const [old, build] = ['a'.repeat(64), 'b'.repeat(64)];

/** A model of machines with the old program, and the worker of a controller with a new one. */
async function bench({ machines = 8, reports = true, restarts = false } = {}) {
  const model = await modelFixture();
  await model.deploy('mysql', { numUnits: machines });
  const restarted: string[] = [];
  const kept: string[] = [];
  const presence = createPresence({ now: () => 0 });
  const leave = new Map<string, () => void>();
  const connect = (machine: string): void =>
    void leave.set(
      machine,
      presence.enter(model.uuid, machine, { superseded: () => undefined, heardAt: () => 0 }),
    );
  const report = (machine: string, program?: string, message?: string): Promise<void> =>
    model.change((tx) => {
      const { programWanted } = tx.get('machine', machine)!;
      const failed = message === undefined ? undefined : { ...programWanted!, message };
      agentStarted(tx, {
        machine,
        hostname: 'h',
        addresses: [],
        hardware: {},
        ...(program !== undefined && { program: { build: program, ...(failed && { failed }) } }),
      });
    });
  const ids = Array.from({ length: machines }, (_, n) => String(n));
  for (const id of ids) {
    await model.change((tx) => {
      const machine = tx.get('machine', id)!;
      tx.put('machine', id, {
        ...machine,
        instance: { id: `i-${id}`, displayName: '', hardware: {}, isolation: '' },
      });
    });
    await report(id, reports ? old : undefined);
  }
  const services = {
    agentBuild: build,
    version: '3.6.28',
    bundles: { hasBuild: (one: string) => kept.includes(one) },
    dispatch: createDispatch(model.store, indexes),
    environ: () => ({
      ...(restarts && {
        restartAgent: (_: string, machine: string) => (restarted.push(machine), Promise.resolve()),
      }),
    }),
    log: silentLog,
    presence,
  } as unknown as Services;
  const create = (): AgentUpgrader =>
    new AgentUpgrader({ store: model.store, services, modelUuid: model.uuid, wake: () => undefined });
  let worker = create();
  const asked = (): string[] =>
    ids.filter((id) => model.view().get('machine', id)?.programWanted?.build === build);
  return {
    model,
    connect,
    disconnect: (machine: string) => leave.get(machine)?.(),
    report,
    ids,
    asked,
    restarted,
    kept,
    restart: () => {
      worker.stop();
      worker = create();
    },
    pass: async () => {
      await worker.pass(new AbortController().signal);
      return asked();
    },
  };
}

test('one agent is asked first, and the others five at a time once it has come up', async () => {
  const { connect, pass, report, ids, restart } = await bench();
  expect(await pass()).toEqual([]);
  for (const id of ids) connect(id);
  expect(await pass()).toEqual(['0']);
  // A controller that was killed goes on where it was.
  restart();
  expect(await pass()).toEqual(['0']);
  await report('0', build);
  expect(await pass()).toEqual(['0', '1', '2', '3', '4', '5']);
  await report('3', build);
  expect(await pass()).toEqual(['0', '1', '2', '3', '4', '5', '6']);
});

test('agents that are away are asked when they come back', async () => {
  const { connect, disconnect, pass, report } = await bench();
  connect('4');
  expect(await pass()).toEqual(['4']);
  await report('4', build);
  connect('5');
  disconnect('5');
  expect(await pass()).toEqual(['4']);
  connect('5');
  expect(await pass()).toEqual(['4', '5']);
});

test('none is asked after a failure, until it is forgotten; then the agent is asked for another attempt', async () => {
  const { model, connect, pass, report, ids } = await bench({ machines: 3 });
  for (const id of ids) connect(id);
  await pass();
  await report('0', old, 'it does not load');
  expect(await pass()).toEqual(['0']);
  const said = [...model.view().list('status')].find(
    ({ kind, entity }) => kind === 'machine-agent' && entity === '0',
  );
  expect(said).toMatchObject({
    status: 'started',
    message: 'it goes on with program aaaaaaaaaaaa: bbbbbbbbbbbb did not come up: it does not load',
  });
  await model.change((tx) => forgetFailedPrograms(tx));
  expect(await pass()).toHaveLength(1);
  await report('1', build);
  await report('2', build);
  await pass();
  expect(model.view().get('machine', '0')?.programWanted).toEqual({ build, attempt: 1 });
});

test('an agent that cannot replace itself is restarted once, where the cloud can', async () => {
  const can = await bench({ machines: 2, reports: false, restarts: true });
  for (const id of can.ids) can.connect(id);
  expect(await can.pass()).toEqual(['0']);
  await can.pass();
  await can.pass();
  expect(can.restarted).toEqual(['0']);
  await can.report('0', build);
  expect(await can.pass()).toEqual(['0', '1']);
  const cannot = await bench({ machines: 2, reports: false });
  for (const id of cannot.ids) cannot.connect(id);
  expect(await cannot.pass()).toEqual([]);
});

test('a model keeps its program beside a controller with another one, for new agents, too, until it is upgraded', async () => {
  const { model, connect, pass, report, restart, kept } = await bench({ machines: 3 });
  const program = (): string | undefined =>
    model.store.read().in('').get('model', model.uuid)?.program?.build;
  const set = (next: string): Promise<void> =>
    model.change((tx) => setModelProgram(tx.in(''), model.uuid, { build: next, version: '3.6.27' }));
  await set(old);
  restart();
  connect('0');
  connect('1');
  expect(await pass()).toEqual([]);
  expect(program()).toBe(old);
  // A machine that was made by this controller has its program at first.
  await report('2', build);
  connect('2');
  await pass();
  expect(model.view().get('machine', '2')?.programWanted).toBeUndefined();
  kept.push(old);
  restart();
  await pass();
  expect(model.view().get('machine', '2')?.programWanted).toEqual({ build: old, attempt: 0 });
  await set(build);
  expect(await pass()).toEqual(['0', '1']);
});

test("a model without a program gets the controller's, and the model of the controller each of them", async () => {
  const { model, pass, restart } = await bench({ machines: 1 });
  const program = (): unknown => model.store.read().in('').get('model', model.uuid)?.program;
  await pass();
  expect(program()).toEqual({ build, version: '3.6.28' });
  await model.change((tx) => {
    const root = tx.in('');
    setModelProgram(root, model.uuid, { build: old, version: '3.6.27' });
    root.put('controller', 'self', { ...root.get('controller', 'self')!, modelUuid: model.uuid });
  });
  restart();
  await pass();
  expect(program()).toEqual({ build, version: '3.6.28' });
});
