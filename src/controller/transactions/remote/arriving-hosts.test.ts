/** Hosts that were added by hand go with the model that they are machines of (migration.md#take-over). */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HostDoc } from '../../../core/host/document.ts';
import type { MachineDoc } from '../../../core/machine/document.ts';
import type { ModelDoc } from '../../../core/model/document.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { describeLeaving } from '../../migration/export-model.ts';
import { controllerStarted } from '../agent/controller-started.ts';
import { forgetMoved } from '../change/advance-migration.ts';
import { documentsOf, removeDocuments } from '../end/remove-model.ts';
import { activate, beginArrival, putArriving } from './arrivals.ts';

let callers: Callers;
beforeEach(async () => void (callers = await createCallers()));
afterEach(() => callers[Symbol.asyncDispose]());

const address = '10.0.0.1';
const addHost = (nonce: string): Promise<unknown> =>
  callers.call('MachineManager', 'AddMachines', {
    params: [
      {
        jobs: ['JobHostUnits'],
        base: { name: 'ubuntu', channel: '22.04/stable' },
        'instance-id': `manual:${address}`,
        nonce: `manual:${address}:${nonce}`,
      },
    ],
  });
const hostsOf = (model: string): string[] =>
  [...callers.store.read().find('host', 'model', model)].map(({ machine }) => machine);

/** Lets a model with these machines arrive, and activates it. */
async function arrive(
  model: string,
  machines: readonly MachineDoc[],
  own = callers.store.read().get('model', callers.model)!,
  goneHosts: readonly HostDoc[] = [],
): Promise<void> {
  const of = { model, migration: `${model}:0` };
  await callers.store.change((tx) => {
    const parts = { model: { ...own, uuid: model, name: `of-${model.slice(0, 6)}` }, access: [], goneHosts };
    beginArrival(tx, { ...of, from: 'far', ticket: '', machines: 0, parts });
    putArriving(
      tx,
      of,
      machines.map((doc) => ({ kind: 'machine', id: doc.id, doc })),
    );
  }, 'test');
  await callers.store.change((tx) => activate(tx, of, machines.length), 'test');
}

test('hosts of a model that arrives are machines of this controller from the activation on', async () => {
  await addHost('1');
  const machine = callers.view().get('machine', '0')!;
  await callers.store.change((tx) => tx.remove('host', `${callers.model} 0`), 'test');
  const first = crypto.randomUUID();
  const { unmanaged: _, ...made } = { ...machine.instance!, id: 'i-1' };
  await arrive(first, [machine, { ...machine, id: '1', instance: made }]);
  expect(hostsOf(first)).toEqual(['0']);
  expect(await addHost('2')).toMatchObject({
    machines: [
      { error: { message: `manual:${address} is a machine of another model of this controller already` } },
    ],
  });
  const second = crypto.randomUUID();
  await expect(arrive(second, [machine])).rejects.toThrow(
    `manual:${address} is a machine of the target controller already`,
  );
  expect(hostsOf(second)).toEqual([]);
  expect(callers.store.read().get('model', second)).toBeUndefined();
});

test('hosts of a model that is to leave are told to the target, and other machines are not', async () => {
  await addHost('1');
  const { model, context, store } = callers;
  const { instance, ...machine } = callers.view().get('machine', '0')!;
  const { unmanaged: _, ...made } = { ...instance!, id: 'i-1' };
  await store.change((tx) => {
    tx.in(model).put('machine', '1', { ...machine, id: '1', instance: made });
    tx.in(model).put('machine', '2', { ...machine, id: '2' });
  }, 'test');
  const target = { uuid: 'far', alias: 'far', addresses: [], caCert: '', user: 'user-admin' };
  const services = { ...context.services, addresses: [], caCert: '' };
  const { hosts } = describeLeaving({ store, services }, { model, attempt: 0, target });
  expect(hosts).toEqual([`manual:${address}`]);
});

test('what is kept of the hosts of removed machines goes along', async () => {
  const { model, context, store } = callers;
  await store.change((tx) => {
    const gone = { at: tx.now, nonce: 'manual:10.0.0.2:1', passwordHash: 'x' };
    tx.put('host', `${model} 7`, { model, machine: '7', instanceId: 'manual:10.0.0.2', gone });
  }, 'test');
  const target = { uuid: 'far', alias: 'far', addresses: [], caCert: '', user: 'user-admin' };
  const services = { ...context.services, addresses: [], caCert: '' };
  const described = describeLeaving({ store, services }, { model, attempt: 0, target });
  const other = crypto.randomUUID();
  const goneHosts = described['gone-hosts']!.map((host) => ({
    ...(host as unknown as HostDoc),
    model: other,
  }));
  await arrive(other, [], undefined, goneHosts);
  const { gone } = store.read().get('host', `${model} 7`)!;
  expect(gone).toBeDefined();
  expect(store.read().get('host', `${other} 7`)).toMatchObject({ model: other, machine: '7', gone });
});

const leave = (model: string): Promise<void> =>
  callers.store.change((tx) => {
    const target = { uuid: 'far', alias: 'far', addresses: [], caCert: '', user: 'user-admin' };
    const of = { model, attempt: 0, startedAt: tx.now, phaseAt: tx.now, message: '' };
    tx.put('migration', model, { ...of, phase: 'REAP', target });
    removeDocuments(tx.in(model), documentsOf(tx.in(model)));
    expect(forgetMoved(tx, { model, attempt: 0, phase: 'REAP' })).toBe(true);
  }, 'test');

test('hosts of a model that has left are free, and what is kept of removed machines stays', async () => {
  await addHost('1');
  const { model, store } = callers;
  const gone = { at: '2026-01-01T00:00:00Z', nonce: 'manual:10.0.0.2:1', passwordHash: '' };
  await store.change((tx) => {
    tx.put('host', `${model} 7`, { model, machine: '7', instanceId: 'manual:10.0.0.2', gone });
  }, 'test');
  await leave(model);
  expect(hostsOf(model)).toEqual(['7']);
  expect([...store.read().find('host', 'instance', `manual:${address}`)]).toEqual([]);
});

describe('of an earlier release', () => {
  const start = (): Promise<void> => callers.store.change((tx) => controllerStarted(tx, []), 'test');

  /** Lets the model leave as with that release, which keeps the record of its host. */
  async function leaveRecord(): Promise<{ readonly own: ModelDoc; readonly machine: MachineDoc }> {
    await addHost('1');
    const { model, store } = callers;
    const machine = callers.view().get('machine', '0')!;
    const own = store.read().get('model', model)!;
    const record = store.read().get('host', `${model} 0`)!;
    await leave(model);
    await store.change((tx) => tx.put('host', `${model} 0`, record), 'test');
    return { own, machine };
  }

  test('a model that has left comes back with its hosts once the controller has started', async () => {
    const { own, machine } = await leaveRecord();
    await start();
    await arrive(callers.model, [machine], own);
    expect(hostsOf(callers.model)).toEqual(['0']);
  });

  test('hosts of a model that has left are free once the controller has started, and what is right stays', async () => {
    const { own, machine } = await leaveRecord();
    const other = crypto.randomUUID();
    await start();
    await arrive(other, [machine], own);
    const { revision } = callers.store.read();
    await start();
    expect(callers.store.read().revision).toBe(revision);
    expect(hostsOf(other)).toEqual(['0']);
    expect(hostsOf(callers.model)).toEqual([]);
  });

  test('hosts of models that have come are recorded when the controller starts, one that is shared for one of them', async () => {
    const { own, machine } = await leaveRecord();
    await start();
    const models = [crypto.randomUUID(), crypto.randomUUID()];
    for (const model of models) {
      await arrive(model, [machine], own);
      await callers.store.change((tx) => tx.remove('host', `${model} 0`), 'test');
    }
    await start();
    expect(models.flatMap(hostsOf)).toEqual(['0']);
  });
});
