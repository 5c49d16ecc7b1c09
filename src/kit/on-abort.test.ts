import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { systemClock } from './clock.ts';
import { onAbort } from './on-abort.ts';

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
