import { expect, test } from 'vitest';
import { formatAgo, formatClockTime, formatTime } from './time.ts';

const shownTime = '2026-01-02T15:04:05.678Z';
const secondsAgo = (seconds: number): string =>
  formatAgo(shownTime, { iso: false, nowMs: Date.parse(shownTime) + seconds * 1000 });

test('times in ISO style are in UTC', () => {
  expect(formatTime(shownTime, { iso: true, nowMs: 0 })).toBe('2026-01-02 15:04:05Z');
  expect(formatClockTime(shownTime, { iso: true, nowMs: 0 })).toBe('15:04:05Z');
});

test('local time contains its offset', () => {
  expect(formatTime(shownTime, { iso: false, nowMs: 0 })).toMatch(
    /^\d\d Jan 2026 \d\d:\d\d:05(Z|[+-]\d\d:\d\d)$/,
  );
  // The formatted local time denotes the same moment in every time zone.
  expect(Date.parse(formatTime(shownTime, { iso: false, nowMs: 0 }))).toBe(
    Date.parse('2026-01-02T15:04:05Z'),
  );
});

test.each([undefined, '', '0001-01-01T00:00:00Z', 'nonsense'])('%s is formatted as no time', (time) => {
  expect(formatTime(time, { iso: true, nowMs: 0 })).toBe('');
  expect(formatAgo(time, { iso: true, nowMs: 0 })).toBe('never connected');
});

test.each([
  [0, 'just now'],
  [30, '30 seconds ago'],
  [60, '1 minute ago'],
  [3599, '59 minutes ago'],
  [7200, '2 hours ago'],
  [100_000, 'yesterday'],
  [1_000_000, '2026-01-02'],
])('%d s ago is %s', (seconds, shown) => {
  expect(secondsAgo(seconds)).toBe(shown);
});
