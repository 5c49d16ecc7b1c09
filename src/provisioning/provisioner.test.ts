import { expect, test } from 'vitest';
import { silentLog } from '../kit/log.ts';
import { ProviderError, tagKeys } from '../providers/contract/provider.ts';
import { SimulatedCloud } from '../providers/clouds/simulated/index.ts';
import { eventually } from '../testing/eventually.ts';
import { brokerOf, MemoryRecords } from '../testing/machine-records.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { Provisioner } from './provisioner.ts';

const { signal } = new AbortController();
const model = {
  modelUuid: '00000000-0000-4000-8000-000000000002',
  controllerUuid: '00000000-0000-4000-8000-000000000001',
};

function setUp() {
  const cloud = new SimulatedCloud({ latencyMs: 0 });
  const records = new MemoryRecords();
  const clock = new ManualClock();
  let woken = 0;
  const broker = brokerOf(cloud);
  const provisioner = new Provisioner({
    records,
    broker: () => broker,
    clock,
    random: () => 0.5,
    log: silentLog,
    wake: () => void woken++,
  });
  return { cloud, records, clock, provisioner, woken: () => woken };
}

const tagsOf = (machine: string, nonce: string): Record<string, string> => ({
  [tagKeys.model]: model.modelUuid,
  [tagKeys.controller]: model.controllerUuid,
  [tagKeys.machine]: machine,
  [tagKeys.nonce]: nonce,
});

test('The first pass starts every machine that has no instance', async () => {
  const { cloud, records, provisioner } = setUp();
  records.add('0');
  records.add('1');
  await provisioner.pass(signal);
  await eventually(() => expect(cloud.count).toBe(2));
});

test('An instance that a crash left is adopted by its nonce', async () => {
  const { cloud, records, provisioner } = setUp();
  records.add('0', { nonce: 'nonce-before' });
  const { id } = await cloud.plant({ ...model, tags: tagsOf('0', 'nonce-before') });
  await provisioner.pass(signal);
  await eventually(() => expect(records.machines.get('0')?.instanceId).toBe(id));
  expect(cloud.count).toBe(1);
});

test('A dead machine is forgotten after its instance is seen to be gone', async () => {
  const { cloud, records, provisioner, woken } = setUp();
  const { id } = await cloud.plant({ ...model, tags: tagsOf('0', 'nonce-0') });
  records.add('0', { life: 'dead', nonce: 'nonce-0', instanceId: id });
  await provisioner.pass(signal);
  expect(cloud.count).toBe(0);
  expect(records.machines.has('0')).toBe(true);
  expect(woken()).toBe(1);
  await provisioner.pass(signal);
  expect(records.machines.has('0')).toBe(false);
});

test('An instance that cannot be stopped is reported, and delays no start', async () => {
  const { cloud, records, provisioner } = setUp();
  const { id } = await cloud.plant({ ...model, tags: tagsOf('0', 'nonce-0') });
  records.add('0', { life: 'dead', nonce: 'nonce-0', instanceId: id });
  records.add('1');
  cloud.inject({ operation: 'stop', when: 'before', error: new ProviderError('transient', 'locked') });
  await expect(provisioner.pass(signal)).rejects.toThrow('locked');
  expect(records.told).toEqual(['0 not released: locked']);
  await eventually(() => expect(records.machines.get('1')?.instanceId).toBeDefined());
});

test('An abandoned attempt has its instance stopped, though no record names it', async () => {
  const { cloud, records, provisioner } = setUp();
  await provisioner.pass(signal);
  records.add('0', { nonce: 'nonce-2', failed: true });
  await cloud.plant({ ...model, tags: tagsOf('0', 'nonce-1') });
  provisioner.look(['0']);
  await provisioner.pass(signal);
  expect(cloud.count).toBe(1);
  provisioner.giveUp('0');
  await provisioner.pass(signal);
  expect(cloud.count).toBe(0);
});

test('An abandoned attempt is looked for again when the cloud did not answer', async () => {
  const { cloud, records, provisioner } = setUp();
  await provisioner.pass(signal);
  records.add('0', { nonce: 'nonce-2', failed: true });
  await cloud.plant({ ...model, tags: tagsOf('0', 'nonce-1') });
  provisioner.giveUp('0');
  cloud.inject({ operation: 'list', when: 'before', error: new ProviderError('transient', 'down') });
  await expect(provisioner.pass(signal)).rejects.toThrow('down');
  await provisioner.pass(signal);
  expect(cloud.count).toBe(0);
});

test('A machine whose agent disconnected is checked a little later', async () => {
  const { records, clock, provisioner, woken } = setUp();
  records.add('0');
  provisioner.absent('0');
  expect(woken()).toBe(0);
  clock.advance(2_000);
  await eventually(() => expect(woken()).toBe(1));
});

test('A cloud that refuses for the account suspends starts, without a failure on each machine', async () => {
  const { cloud, records, provisioner } = setUp();
  records.add('0');
  cloud.refuseCredential('expired');
  await expect(provisioner.pass(signal)).rejects.toThrow('expired');
  expect(records.told).toEqual(['suspended: expired, next 2026-01-01T00:01:00.000Z']);
  cloud.refuseCredential(undefined);
  provisioner.probe('credential');
  await provisioner.pass(signal);
  await eventually(() => expect(cloud.count).toBe(1));
});
