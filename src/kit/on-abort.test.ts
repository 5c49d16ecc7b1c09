import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { systemClock, timeLimit } from './clock.ts';
import { anyOf, onAbort } from './on-abort.ts';

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

test('thousands of sleeps on one signal share one listener, and an abort ends all of them', async () => {
  const over = new AbortController();
  const sleeps = Array.from({ length: 5000 }, () => systemClock.sleep(60_000, over.signal));
  const outcomes = Promise.allSettled(sleeps);
  expect(listeners(over.signal)).toBe(1);
  const reason = new Error('over');
  over.abort(reason);
  for (const outcome of await outcomes) expect(outcome).toEqual({ status: 'rejected', reason });
});

test('a signal without waiters has no listener, and can be waited for again', () => {
  const over = new AbortController();
  const called: string[] = [];
  const first = onAbort(over.signal, () => called.push('first'));
  const second = onAbort(over.signal, () => called.push('second'));
  first();
  expect(listeners(over.signal)).toBe(1);
  second();
  second();
  expect(listeners(over.signal)).toBe(0);
  onAbort(over.signal, () => called.push('third'));
  over.abort();
  expect(called).toEqual(['third']);
});

test.each([0, 1])('a signal combined of two aborts with number %d of them, for its reason', (n) => {
  const sources = [new AbortController(), new AbortController()] as const;
  const { signal } = anyOf(sources[0].signal, sources[1].signal);
  expect(signal.aborted).toBe(false);
  const reason = new Error('over');
  sources[n]!.abort(reason);
  sources[1 - n]!.abort(new Error('too late'));
  expect(signal.reason).toBe(reason);
  expect(anyOf(signal, new AbortController().signal).signal.reason).toBe(reason);
});

test('a signal combined of two leaves no listener in either once the wait has ended', () => {
  const sources = [new AbortController(), new AbortController()] as const;
  const { signal, done } = anyOf(sources[0].signal, sources[1].signal);
  done();
  expect(sources.map((one) => listeners(one.signal))).toEqual([0, 0]);
  sources[0].abort();
  expect(signal.aborted).toBe(false);
});

test('a time limit ends with the caller’s signal, and leaves no listener in it', () => {
  const outer = new AbortController();
  const first = timeLimit(systemClock, 60_000, outer.signal);
  first.done();
  expect(listeners(outer.signal)).toBe(0);
  const second = timeLimit(systemClock, 60_000, outer.signal);
  outer.abort(new Error('over'));
  expect([first.signal.aborted, second.signal.reason]).toEqual([false, outer.signal.reason]);
  second.done();
});
