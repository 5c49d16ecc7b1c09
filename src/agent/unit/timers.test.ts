import { expect, test } from 'vitest';
import { defined } from '../../core/defined.ts';
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

test.each([
  ['goes on where it was', { waited: 70_000, retryAt: 150_000, next: 80_000 }],
  [
    'begins anew once it is over, as the hook may have ended the agent',
    { waited: 150_000, retryAt: 150_000, next: 160_000 },
  ],
  ['begins anew where no former agent has saved it', { waited: 70_000, retryAt: undefined, next: 160_000 }],
  ['begins anew when the clock was set back', { waited: 0, retryAt: 330_001, next: 160_000 }],
])('the wait for a retry of an agent that starts again %s', (_how, { waited, retryAt, next }) => {
  const clock = new ManualClock();
  const began = clock.now();
  clock.advance(waited);
  const timers = new Timers(clock, middle);
  timers.resume({
    failures: 6,
    ...defined({ retryAt: retryAt === undefined ? undefined : began + retryAt }),
  });
  expect(timers.next(clock.now())).toBe(next);
  expect(timers.retryAt).toBe(clock.now() + next);
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
