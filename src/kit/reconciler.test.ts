import { expect, test } from 'vitest';
import { systemClock, type Clock } from './clock.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { createLog } from './log.ts';
import { Reconciler } from './reconciler.ts';

/** A clock whose sleeps end only when they are aborted. */
const stuckClock: Clock = {
  now: () => 0,
  sleep: (_, signal) =>
    new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error))),
};
const log = createLog(
  '',
  () => undefined,
  () => 0,
);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function reconciler(
  pass: (signal: AbortSignal) => Promise<number | void>,
  clock: Clock = stuckClock,
): Reconciler {
  return new Reconciler({ name: 'test', pass, clock, log, random: () => 0.5 }).start();
}

test('a reconciler runs at the start, and once more for any number of wakes during a pass', async () => {
  let passes = 0;
  let finish = (): void => undefined;
  const loop = reconciler(async () => {
    passes++;
    await new Promise<void>((resolve) => (finish = resolve));
  });
  loop.wake();
  loop.wake();
  loop.wake();
  finish();
  await turn();
  finish();
  await turn();
  expect(passes).toBe(2);
  await loop.stop();
});

test('a reconciler that is stopped during a pass ends, even if the pass asks for another run', async () => {
  let finish = (): void => undefined;
  const loop = reconciler(async () => {
    await new Promise<void>((resolve) => (finish = resolve));
    return 30_000;
  });
  const stopped = loop.stop();
  finish();
  await stopped;
});

test('a pass that throws runs again after a back-off, and its next success ends the back-off', async () => {
  let passes = 0;
  const loop = reconciler(
    async () => {
      if (++passes < 3) throw new Error('not yet');
    },
    { ...systemClock, sleep: () => Promise.resolve() },
  );
  while (passes < 3) await turn();
  await turn();
  expect(passes).toBe(3);
  await loop.stop();
});

test('a pass that asks for another run at a time gets it then, or sooner; wakes in between begin no new sleep', async () => {
  const clock = new ManualClock();
  const sleeps: number[] = [];
  const delays: (number | undefined)[] = [30, 30, 10, 50, undefined];
  let passes = 0;
  const loop = reconciler(() => Promise.resolve(delays[passes++]), {
    now: () => clock.now(),
    sleep: (ms, signal) => {
      sleeps.push(ms);
      return clock.sleep(ms, signal);
    },
  });
  const after = async (ms: number): Promise<number> => {
    clock.advance(ms);
    await turn();
    return passes;
  };
  await turn();
  expect(await after(20)).toBe(1);
  loop.wake();
  expect([await after(0), ...sleeps]).toEqual([2, 30]);
  // The next wanted pass is due later than the sleep ends.
  expect(await after(9)).toBe(2);
  expect([await after(1), ...sleeps]).toEqual([3, 30, 10]);
  expect([await after(10), ...sleeps]).toEqual([4, 30, 10, 50]);
  loop.wake();
  expect(await after(0)).toBe(5);
  expect(await after(1000)).toBe(5);
  await loop.stop();
});

test('a reconciler that is to run sooner than its sleep ends begins a shorter sleep, and no sleep is left when it stops', async () => {
  const clock = new ManualClock();
  const delays = [100, 10, 100];
  let passes = 0;
  const ended: number[] = [];
  const loop = reconciler(() => Promise.resolve(delays[passes++]), {
    now: () => clock.now(),
    sleep: (ms, signal) => {
      signal?.addEventListener('abort', () => ended.push(ms));
      return clock.sleep(ms, signal);
    },
  });
  await turn();
  loop.wake();
  await turn();
  expect(ended).toEqual([100]);
  clock.advance(10);
  await turn();
  expect(passes).toBe(3);
  await loop.stop();
  expect(ended).toEqual([100, 100]);
});
