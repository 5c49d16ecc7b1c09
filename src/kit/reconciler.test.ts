import { expect, test } from 'vitest';
import { systemClock, type Clock } from './clock.ts';
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
