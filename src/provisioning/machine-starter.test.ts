import { expect, test } from 'vitest';
import { silentLog } from '../kit/log.ts';
import { ProviderError } from '../providers/contract/provider.ts';
import { SimulatedCloud } from '../providers/clouds/simulated/index.ts';
import { eventually } from '../testing/eventually.ts';
import { brokerOf, MemoryRecords } from '../testing/machine-records.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { MachineStarter } from './machine-starter.ts';

const { signal } = new AbortController();

function setUp(options: ConstructorParameters<typeof SimulatedCloud>[0] = {}) {
  const cloud = new SimulatedCloud({ latencyMs: 0, ...options });
  const records = new MemoryRecords();
  const clock = new ManualClock();
  const ended: string[] = [];
  const starter = new MachineStarter({
    records,
    clock,
    random: () => 0.5,
    log: silentLog,
    onEnd: (id) => ended.push(id),
    wake: () => undefined,
  });
  const where = { broker: brokerOf(cloud), signal };
  return { cloud, records, clock, ended, starter, where, pump: () => starter.pump(where) };
}

test('A requested machine is started once, and its instance is recorded', async () => {
  const { cloud, records, starter, ended, pump } = setUp();
  records.add('0');
  starter.want('0');
  await pump();
  starter.want('0');
  await pump();
  await eventually(() => expect(ended).toEqual(['0']));
  expect(cloud.count).toBe(1);
  expect(records.machines.get('0')?.instanceId).toBe(cloud.instances()[0]?.instance.id);
});

test('A machine whose record is removed during its start leaves no instance', async () => {
  const { cloud, records, starter, ended, pump } = setUp({
    onStart: () => void records.machines.delete('0'),
  });
  records.add('0');
  starter.want('0');
  await pump();
  await eventually(() => expect(ended).toEqual(['0']));
  expect(cloud.count).toBe(0);
});

test('A machine whose request is cancelled before its turn is not started', async () => {
  const { cloud, records, starter, pump } = setUp();
  records.add('0');
  starter.want('0');
  starter.drop('0');
  await pump();
  expect(starter.busy.size).toBe(0);
  expect(cloud.count).toBe(0);
});

test('A failed start waits for its time, unless the cause is repaired earlier', async () => {
  const { cloud, records, starter, ended, clock, pump } = setUp();
  records.add('0');
  const error = new ProviderError('transient', 'down');
  cloud.inject({ operation: 'start', when: 'before', error });
  starter.want('0');
  await pump();
  await eventually(() => expect(ended).toHaveLength(1));
  expect(records.failures.get('0')).toMatchObject({ attempt: 1, message: 'down', next: { kind: 'later' } });
  starter.want('0');
  await pump();
  expect(cloud.count).toBe(0);
  clock.advance(10_000);
  await eventually(() => expect(ended).toHaveLength(2));
  cloud.inject({ operation: 'start', when: 'before', error });
  starter.want('0');
  await pump();
  await eventually(() => expect(ended).toHaveLength(3));
  expect(records.failures.get('0')?.attempt).toBe(2);
  starter.forgive('0');
  starter.want('0');
  await pump();
  await eventually(() => expect(cloud.count).toBe(1));
});

test('The number of requests under way stays within the limit of the records', async () => {
  let under = 0;
  let most = 0;
  const { cloud, records, starter, ended, pump } = setUp({
    onStart: async () => {
      most = Math.max(most, ++under);
      await new Promise((resolve) => setImmediate(resolve));
      under--;
    },
  });
  records.parallelMax = 3;
  for (let n = 0; n < 12; n++) {
    records.add(String(n));
    starter.want(String(n));
  }
  // Without groups, each request starts one machine.
  const { startGroup: _, ...broker } = brokerOf(cloud);
  await starter.pump({ broker, signal });
  await eventually(() => expect(ended).toHaveLength(12));
  expect(most).toBe(3);
  await pump();
  expect(cloud.count).toBe(12);
});

test('A bad request is never retried', async () => {
  const { cloud, records, starter, ended, pump } = setUp({ refuses: () => 'no such size' });
  records.add('0');
  starter.want('0');
  await pump();
  await eventually(() => expect(ended).toEqual(['0']));
  expect(records.failures.get('0')).toMatchObject({ next: { kind: 'never' }, leftNothing: true });
  expect(cloud.count).toBe(0);
});
