import { expect, test } from 'vitest';
import { parsePastTime } from './past-time.ts';

const nowMs = Date.UTC(2026, 10, 21, 12);
const local = (...parts: [number, number, number, number?, number?, number?]): number =>
  new Date(...parts).getTime();

test.each([
  ['10m', nowMs - 600_000],
  ['-10m', nowMs - 600_000],
  ['10m ago', nowMs - 600_000],
  ['1h30m', nowMs - 5_400_000],
  ['1.5s', nowMs - 1500],
  ['2d ago', nowMs - 2 * 86_400_000],
  ['2026-11-21T10:00:00Z', Date.UTC(2026, 10, 21, 10)],
  ['2026-11-21T10:00:00.250+02:00', Date.UTC(2026, 10, 21, 8, 0, 0, 250)],
  ['2026-11-21 10:00Z', Date.UTC(2026, 10, 21, 10)],
  ['2026-11-21 10:00', local(2026, 10, 21, 10, 0)],
  ['2026-11-21 10:00:30', local(2026, 10, 21, 10, 0, 30)],
  ['2026-11-21', local(2026, 10, 21)],
  ['2026-13-41', undefined],
  ['yesterday', undefined],
  ['10 minutes', undefined],
  ['10q', undefined],
  ['', undefined],
])('parsePastTime reads "%s"', (text, ms) => expect(parsePastTime(text, nowMs)).toBe(ms));
