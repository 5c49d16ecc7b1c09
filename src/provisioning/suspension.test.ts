import { expect, test } from 'vitest';
import { ProviderError } from '../providers/contract/provider.ts';
import { eventually } from '../testing/eventually.ts';
import { MemoryRecords } from '../testing/machine-records.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { accountFailure, StartSuspension } from './suspension.ts';

const { signal } = new AbortController();
const quota = { class: 'quota', message: 'quota exceeded' } as const;

function setUp(records = new MemoryRecords()): {
  records: MemoryRecords;
  clock: ManualClock;
  suspension: StartSuspension;
  woken: () => number;
} {
  const clock = new ManualClock();
  let woken = 0;
  const wake = (): void => void woken++;
  const suspension = new StartSuspension({ records, clock, random: () => 0.5, wake });
  return { records, clock, suspension, woken: () => woken };
}

test('Starts are not limited until one fails for the account', async () => {
  const { suspension, records } = setUp();
  expect(suspension.allowed).toBe(Infinity);
  await suspension.failed(quota, '0', signal);
  expect(suspension.allowed).toBe(0);
  expect(suspension.holds('1')).toEqual(quota);
  expect(records.told).toEqual(['suspended: quota exceeded, next 2026-01-01T00:01:00.000Z']);
});

test('Failures of other running starts are not reported again', async () => {
  const { suspension, records } = setUp();
  await suspension.failed(quota, '0', signal);
  await suspension.failed(quota, '1', signal);
  expect(records.told).toHaveLength(1);
});

test('One probe may begin at its time, and failed probes make the next one later', async () => {
  const { suspension, records, clock, woken } = setUp();
  await suspension.failed(quota, '0', signal);
  clock.advance(60_000);
  await eventually(() => expect(woken()).toBe(1));
  expect(suspension.allowed).toBe(1);
  suspension.begin('1');
  expect(suspension.allowed).toBe(0);
  expect(suspension.holds('1')).toBeUndefined();
  await suspension.failed(quota, '1', signal);
  expect(records.now?.at).toBe('2026-01-01T00:03:00.000Z');
});

test('Another call that fails for the account at the time of a probe makes the next one later', async () => {
  const { suspension, records, clock, woken } = setUp();
  await suspension.failed(quota, undefined, signal);
  await suspension.failed(quota, undefined, signal);
  expect(records.told).toHaveLength(1);
  clock.advance(60_000);
  await eventually(() => expect(woken()).toBe(1));
  await suspension.failed(quota, undefined, signal);
  expect(records.now?.at).toBe('2026-01-01T00:03:00.000Z');
  expect(suspension.allowed).toBe(0);
  await suspension.failed(quota, undefined, signal);
  expect(records.told).toHaveLength(2);
});

test('A successful probe lifts the suspension, which is reported once', async () => {
  const { suspension, records, clock, woken } = setUp();
  await suspension.failed(quota, '0', signal);
  clock.advance(60_000);
  await eventually(() => expect(woken()).toBe(1));
  suspension.begin('1');
  await suspension.ended('1', 'succeeded', signal);
  expect(suspension.allowed).toBe(Infinity);
  await suspension.tell();
  await suspension.tell();
  expect(records.told.slice(1)).toEqual(['resumed']);
});

test('A repaired cause is probed at once, and a cause of another class is not', async () => {
  const { suspension } = setUp();
  await suspension.failed(quota, '0', signal);
  suspension.probe('credential');
  expect(suspension.allowed).toBe(0);
  suspension.probe('quota');
  expect(suspension.allowed).toBe(1);
});

test('A suspension before a crash holds after it', () => {
  const records = new MemoryRecords();
  records.now = { ...quota, at: '2026-01-01T00:01:00Z' };
  const { suspension } = setUp(records);
  expect(suspension.holds('0')).toMatchObject(quota);
  expect(suspension.allowed).toBe(1);
});

test.each([
  { error: new ProviderError('quota', 'full'), cause: { class: 'quota', message: 'full' } },
  { error: new ProviderError('credential', 'no'), cause: { class: 'credential', message: 'no' } },
  { error: new ProviderError('zonal', 'no room'), cause: undefined },
  { error: new Error('quota'), cause: undefined },
])('Errors are classified as failures of the account: "$error"', ({ error, cause }) => {
  expect(accountFailure(error)).toEqual(cause);
});
