import { expect, test } from 'vitest';
import { ManualClock } from '../testing/manual-clock.ts';
import { RetryTimes } from './retry-times.ts';

function setUp() {
  const clock = new ManualClock(0);
  const due: string[] = [];
  const backoff = { firstMs: 10, maxMs: 30, factor: 2, jitter: 0.1 };
  const times = new RetryTimes({ clock, backoff, random: () => 0.5, onDue: (key) => due.push(key) });
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { clock, due, times, stop: new AbortController(), turn };
}

test('a key waits longer after each failure, and is due when its time has come', async () => {
  const { clock, due, times, stop, turn } = setUp();
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 4; attempt++) {
    const next = times.wait('a', stop.signal);
    expect(next.attempt).toBe(attempt);
    waits.push(next.at - clock.now());
    clock.advance(next.at - clock.now() - 1);
    await turn();
    expect([times.isWaiting('a'), due.length]).toEqual([true, attempt - 1]);
    clock.advance(1);
    await turn();
    expect([times.isWaiting('a'), due.length]).toEqual([false, attempt]);
  }
  expect(waits).toEqual([10, 20, 30, 30]);
});

test('a failure that is only counted delays nothing, and the next wait is as long as the first', () => {
  const { times, stop } = setUp();
  times.count('a');
  expect([times.isWaiting('a'), times.attempts('a')]).toEqual([false, 1]);
  expect(times.wait('a', stop.signal)).toEqual({ attempt: 2, at: 10 });
});

test('a key that was forgotten begins anew, and its former wait does not end a later wait', async () => {
  const { clock, times, stop, turn } = setUp();
  times.wait('a', stop.signal);
  times.delete('a');
  expect(times.isWaiting('a')).toBe(false);
  clock.advance(5);
  expect(times.wait('a', stop.signal)).toEqual({ attempt: 1, at: 15 });
  clock.advance(5);
  await turn();
  expect(times.isWaiting('a')).toBe(true);
});

test('an aborted wait is never due', async () => {
  const { clock, due, times, stop, turn } = setUp();
  times.wait('a', stop.signal);
  stop.abort();
  clock.advance(100);
  await turn();
  expect(due).toEqual([]);
});
