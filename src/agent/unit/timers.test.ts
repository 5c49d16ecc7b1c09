import { expect, test } from 'vitest';
import { ManualClock } from '../../testing/manual-clock.ts';
import { Timers } from './world.ts';

const interval = 60_000;
/** Chooses the middle of the jitter, so that times are what they are set to. */
const middle = (): number => 0.5;

test('a timer that comes due after the agent judged what is due ends the wait at once', () => {
  const clock = new ManualClock();
  const timers = new Timers(clock, middle);
  expect(timers.updateStatusDue(interval)).toBe(false);
  clock.advance(interval - 1);
  const judgedAt = clock.now();
  expect(timers.updateStatusDue(interval)).toBe(false);
  clock.advance(3);
  expect(timers.next(judgedAt)).toBe(0);
  expect(timers.updateStatusDue(interval)).toBe(true);
});

test('a timer that was due when the agent judged what is due is waited for no more', () => {
  const clock = new ManualClock();
  const timers = new Timers(clock, middle);
  timers.failed(1);
  expect(timers.retryDue).toBe(false);
  expect(timers.next(clock.now())).toBe(5_000);
  clock.advance(5_000);
  expect(timers.retryDue).toBe(true);
  expect(timers.next(clock.now())).toBeUndefined();
});
