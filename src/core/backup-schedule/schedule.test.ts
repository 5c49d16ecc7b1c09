import { describe, expect, test } from 'vitest';
import fc, { runs } from '../../testing/fast-check.ts';
import type { BackupScheduleDoc } from './document.ts';
import { checkSchedule, firstTime, retryAfter, scheduleTrouble, timeAfter, waitOf } from './schedule.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const noon = '2026-03-10T12:00:00.000Z';
const time = Date.parse;
const iso = (ms: number): string => new Date(ms).toISOString();
const doc = (more: Partial<BackupScheduleDoc>): BackupScheduleDoc => ({
  every: day,
  keep: 7,
  since: noon,
  next: noon,
  ...more,
});

test.each([
  ['a day without a time of day', { every: day }, noon, '2026-03-11T12:00:00.000Z'],
  ['a day at 03:00', { every: day, at: '03:00' }, noon, '2026-03-11T03:00:00.000Z'],
  [
    'a day at 03:00, before it',
    { every: day, at: '03:00' },
    '2026-03-10T02:59:59.999Z',
    '2026-03-10T03:00:00.000Z',
  ],
  [
    'a day at 03:00, just then',
    { every: day, at: '03:00' },
    '2026-03-10T03:00:00.000Z',
    '2026-03-11T03:00:00.000Z',
  ],
  ['6h at 03:00', { every: 6 * hour, at: '03:00' }, noon, '2026-03-10T15:00:00.000Z'],
  ['5m', { every: 5 * minute }, '2026-03-10T12:07:00.000Z', '2026-03-10T12:10:00.000Z'],
  ['5m, years later', { every: 5 * minute }, '2036-03-10T12:07:00.000Z', '2036-03-10T12:10:00.000Z'],
  [
    'a day, with a clock before the schedule',
    { every: day },
    '2026-03-01T00:00:00.000Z',
    '2026-03-01T12:00:00.000Z',
  ],
])('the time after now of a schedule of %s', (_, more, now, next) => {
  expect(iso(timeAfter(doc(more), time(now)))).toBe(next);
});

test('a new schedule makes its first backup at once, and with a time of day then', () => {
  expect(iso(firstTime(doc({}), time(noon)))).toBe(noon);
  expect(iso(firstTime(doc({ at: '03:00' }), time(noon)))).toBe('2026-03-11T03:00:00.000Z');
});

const interval = 'interval of backups not valid: expected 5m to 8784h, in whole minutes';
test.each([
  [{ every: 0 }, interval],
  [{ every: 5 * minute - 1 }, interval],
  [{ every: 367 * day }, interval],
  [{ every: NaN }, interval],
  [{ every: 5 * minute + 1 }, interval],
  [{ at: '24:00' }, 'time of day "24:00" not valid: expected 00:00 to 23:59, in UTC'],
  [{ at: '3:00' }, 'time of day "3:00" not valid: expected 00:00 to 23:59, in UTC'],
  [{ at: '03:00\n' }, 'time of day "03:00\n" not valid: expected 00:00 to 23:59, in UTC'],
  [
    { at: '03:00', every: 7 * hour },
    'interval of backups with a time of day not valid: expected a part of a day',
  ],
  [{ keep: 0 }, 'number of backups that are kept not valid: expected a whole number from 1 to 1000'],
  [{ keep: 1001 }, 'number of backups that are kept not valid: expected a whole number from 1 to 1000'],
  [{ keep: 1.5 }, 'number of backups that are kept not valid: expected a whole number from 1 to 1000'],
  [{ keepAge: -1 }, 'age of backups that are kept not valid'],
  [{ keepSize: Infinity }, 'size of backups that are kept not valid'],
])('a schedule with %j is refused', (more, message) => {
  expect(() => checkSchedule(doc(more))).toThrow(message);
});

test.each([
  { every: 5 * minute },
  { every: 366 * day, keep: 1000 },
  { every: 6 * hour, at: '23:59' },
  { every: 2 * day, at: '00:00', keepAge: 30 * day, keepSize: 1 },
])('a schedule with %j is accepted', (more) => {
  expect(() => checkSchedule(doc(more))).not.toThrow();
});

describe('the wait for a backup', () => {
  const failure = { attempt: 1, at: '2026-03-10T12:01:00.000Z', since: noon, reason: 'no room' };
  test.each([
    ['is until it is due', {}, '2026-03-10T11:00:00.000Z', hour],
    ['is over when it is due', {}, noon, 0],
    ['is over when it was missed', {}, '2026-04-10T12:00:00.000Z', 0],
    ['is until the next attempt after a failure', { failure }, noon, minute],
    [
      'is not known when the clock was set back by more than the interval',
      {},
      '2026-03-09T11:59:59.000Z',
      undefined,
    ],
    [
      'is not known when the clock was set back during attempts',
      { failure },
      '2026-03-10T11:00:59.000Z',
      undefined,
    ],
  ])('%s', (_, more, now, wait) => expect(waitOf(doc(more), time(now))).toBe(wait));
});

test('attempts after failures come a minute later, then twice as late each time, up to an hour or the interval', () => {
  const delays = (every: number): number[] => {
    let failing = doc({ every });
    return Array.from({ length: 8 }, () => {
      const retry = retryAfter(failing, time(noon));
      failing = { ...failing, failure: { ...retry, since: noon, reason: '' } };
      return (time(retry.at) - time(noon)) / minute;
    });
  };
  expect(delays(day)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  expect(delays(5 * minute)).toEqual([1, 2, 4, 5, 5, 5, 5, 5]);
});

test('backups that fail and a backup that is an hour late are told as trouble, and nothing else', () => {
  const failure = { attempt: 2, at: '2026-03-10T12:02:00.000Z', since: noon, reason: 'no room' };
  expect(scheduleTrouble(doc({ failure }), time(noon))).toBe(
    `backups fail since ${noon}: attempt 2 failed, next at 12:02:00Z: no room`,
  );
  expect(scheduleTrouble(doc({}), time(noon) + hour)).toBe('');
  expect(scheduleTrouble(doc({}), time(noon) + hour + 1)).toBe(`a backup is overdue since ${noon}`);
});

test('a clock that jumps never asks for two backups without a time of the schedule in between', () => {
  const jump = fc.integer({ min: -10 * day, max: 10 * day });
  const schedules = fc.record({
    every: fc.constantFrom(5 * minute, 6 * hour, day, 30 * day),
    at: fc.constantFrom(undefined, '00:00', '03:30'),
  });
  fc.assert(
    fc.property(schedules, fc.array(jump, { maxLength: 30 }), ({ every, at }, jumps) => {
      let now = time(noon);
      let state = doc({ every, ...(at === undefined ? {} : { at }) });
      for (const ms of jumps) {
        now += ms;
        let made = 0;
        for (let wait = waitOf(state, now); wait === undefined || wait === 0; wait = waitOf(state, now)) {
          if (wait === 0) made += 1;
          state = { ...state, next: iso(timeAfter(state, now)) };
        }
        expect(made).toBeLessThanOrEqual(1);
        expect(time(state.next) - now).toBeGreaterThan(0);
        expect(time(state.next) - now).toBeLessThanOrEqual(every);
      }
    }),
    { numRuns: runs(200) },
  );
});
