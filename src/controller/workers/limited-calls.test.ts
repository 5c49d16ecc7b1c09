/** Tests of the limit of calls of the cloud, and of what waits for late ones (storage.md#silent-calls). */
import { expect, test } from 'vitest';
import { ManualClock } from '../../testing/manual-clock.ts';
import { LimitedCalls } from './limited-calls.ts';

const { signal } = new AbortController();
const create = { key: 'data/0', step: 'create' } as const;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function setUp(): { clock: ManualClock; calls: LimitedCalls; ended: string[] } {
  const clock = new ManualClock();
  const ended: string[] = [];
  const onEnd = (key: string): void => void ended.push(key);
  return { clock, ended, calls: new LimitedCalls({ clock, answerMs: 300_000, lateMs: 900_000, onEnd }) };
}

test('an answer and a failure in time are the call’s own', async () => {
  const { calls, ended } = setUp();
  await expect(calls.ask(create, () => Promise.resolve(7), signal)).resolves.toBe(7);
  await expect(calls.ask(create, () => Promise.reject(new Error('full')), signal)).rejects.toThrow('full');
  expect(calls.mayCome('data/0', ['create'])).toBe(false);
  expect(ended).toEqual([]);
});

test('a call fails at the limit, its signal aborts, and it may still come', async () => {
  const { clock, calls, ended } = setUp();
  const late = Promise.withResolvers<number>();
  let limit: AbortSignal | undefined;
  const asked = calls.ask(create, (given) => ((limit = given), late.promise), signal);
  const outcome = expect(asked).rejects.toThrow('the cloud has not answered for 5 minutes');
  clock.advance(299_999);
  await turn();
  expect(limit?.aborted).toBe(false);
  clock.advance(1);
  await outcome;
  expect(limit?.aborted).toBe(true);
  expect(calls.mayCome('data/0', ['adopt', 'create'])).toBe(true);
  expect(calls.mayCome('data/0', ['attach'])).toBe(false);
  expect(calls.mayCome('data/1', ['create'])).toBe(false);
  late.resolve(7);
  await turn();
  expect(calls.mayCome('data/0', ['create'])).toBe(false);
  expect(ended).toEqual(['data/0']);
});

test('a call that never ends is waited for no longer than it can have an effect', async () => {
  const { clock, calls, ended } = setUp();
  const asked = calls.ask(create, () => new Promise<never>(() => undefined), signal);
  const outcome = expect(asked).rejects.toThrow('not answered');
  clock.advance(300_000);
  await outcome;
  clock.advance(899_999);
  await turn();
  expect(calls.mayCome('data/0', ['create'])).toBe(true);
  clock.advance(1);
  await turn();
  expect(calls.mayCome('data/0', ['create'])).toBe(false);
  expect(ended).toEqual(['data/0']);
});

test('a call that fails because its signal aborts may still be carried out', async () => {
  const { clock, calls, ended } = setUp();
  const heeding = (given: AbortSignal): Promise<never> =>
    new Promise((_, reject) => given.addEventListener('abort', () => reject(given.reason as Error)));
  const asked = calls.ask(create, heeding, signal);
  const outcome = expect(asked).rejects.toThrow('not answered');
  clock.advance(300_000);
  await outcome;
  await turn();
  expect(calls.mayCome('data/0', ['create'])).toBe(true);
  clock.advance(900_000);
  await turn();
  expect(ended).toEqual(['data/0']);
});

test('a call that ends with its worker does not count as unanswered', async () => {
  const { calls } = setUp();
  const stop = new AbortController();
  const asked = calls.ask(create, () => new Promise<never>(() => undefined), stop.signal);
  stop.abort(new Error('stopped'));
  await expect(asked).rejects.toThrow('stopped');
  expect(calls.mayCome('data/0', ['create'])).toBe(false);
});
