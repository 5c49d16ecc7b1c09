import { expect, it } from 'vitest';
import type { Clock } from '../../kit/clock.ts';
import { LoginThrottle } from './login-throttle.ts';

/** A clock on which sleeping takes no time and is counted. */
function fakeClock(): Clock & { slept: number[]; time: number } {
  const clock = {
    time: 0,
    slept: [] as number[],
    now: () => clock.time,
    sleep: async (ms: number) => {
      clock.slept.push(ms);
      clock.time += ms;
    },
  };
  return clock;
}
const from = (user: string, address: string) => ({ user, address, known: true });
const wrong = async (): Promise<boolean> => false;
const right = async (): Promise<boolean> => true;

it('the first failures cost no delay, and further ones a growing delay', async () => {
  const clock = fakeClock();
  const throttle = new LoginThrottle(clock);
  for (let i = 0; i < 10; i++) expect(await throttle.run(from('bob', 'here'), wrong)).toBe(false);
  expect(clock.slept).toEqual([200, 400, 800, 1600, 3200, 5000]);
});

it('the right password ends the delay', async () => {
  const clock = fakeClock();
  const throttle = new LoginThrottle(clock);
  for (let i = 0; i < 5; i++) await throttle.run(from('bob', 'here'), wrong);
  expect(await throttle.run(from('bob', 'here'), right)).toBe(true);
  clock.slept.length = 0;
  for (let i = 0; i < 4; i++) await throttle.run(from('bob', 'here'), wrong);
  expect(clock.slept).toEqual([]);
});

it('other users and addresses are not delayed', async () => {
  const clock = fakeClock();
  const throttle = new LoginThrottle(clock);
  for (let i = 0; i < 5; i++) await throttle.run(from('bob', 'here'), wrong);
  clock.slept.length = 0;
  expect(await throttle.run(from('bob', 'elsewhere'), right)).toBe(true);
  expect(await throttle.run(from('ann', 'here'), right)).toBe(true);
  expect(clock.slept).toEqual([]);
});

it('failures are forgotten after a while', async () => {
  const clock = fakeClock();
  const throttle = new LoginThrottle(clock);
  for (let i = 0; i < 5; i++) await throttle.run(from('bob', 'here'), wrong);
  clock.time += 301_000;
  clock.slept.length = 0;
  await throttle.run(from('bob', 'here'), wrong);
  expect(clock.slept).toEqual([]);
});

it('parallel guesses are no faster', async () => {
  const clock = fakeClock();
  const throttle = new LoginThrottle(clock);
  let checks = 0;
  const check = async (): Promise<boolean> => {
    checks++;
    return false;
  };
  const results = await Promise.allSettled(
    Array.from({ length: 200 }, () => throttle.run(from('bob', 'here'), check)),
  );
  const refused = results.filter(({ status }) => status === 'rejected');
  expect(refused.length).toBeGreaterThan(100);
  expect(refused[0]).toMatchObject({ reason: { code: 'try again' } });
  // All checks but the four free ones, and the three that ran in the meantime, took their turn and their delay.
  expect(clock.slept.length).toBeGreaterThanOrEqual(checks - 7);
});

it('no more than three passwords are checked at a time', async () => {
  const throttle = new LoginThrottle(fakeClock());
  let running = 0;
  let concurrentMax = 0;
  const check = async (): Promise<boolean> => {
    concurrentMax = Math.max(concurrentMax, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return true;
  };
  await Promise.all(Array.from({ length: 50 }, (_, i) => throttle.run(from(`user${i}`, 'here'), check)));
  expect(concurrentMax).toBe(3);
});
