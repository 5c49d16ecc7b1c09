import { expect, test } from 'vitest';
import { createDownloads } from './downloads.ts';

const never = new AbortController().signal;
const silent = (): void => undefined;

/** Creates work that ends on request, or when it is stopped. */
function download(): {
  readonly work: (progress: (message: string) => void, signal: AbortSignal) => Promise<string>;
  readonly begun: AbortSignal[];
  readonly say: (message: string) => void;
  readonly end: (result: string) => void;
} {
  const begun: AbortSignal[] = [];
  let say: (message: string) => void = silent;
  const { promise, resolve } = Promise.withResolvers<string>();
  return {
    begun,
    say: (message) => say(message),
    end: resolve,
    work: (progress, signal) => {
      begun.push(signal);
      say = progress;
      const stopped = Promise.withResolvers<string>();
      signal.addEventListener('abort', () => stopped.reject(signal.reason));
      return Promise.race([promise, stopped.promise]);
    },
  };
}

test('All callers of a download get one result, and receive its progress', async () => {
  const downloads = createDownloads();
  const { work, begun, say, end } = download();
  const heard: string[] = [];
  const progress = (message: string): void => void heard.push(message);
  const all = [1, 2].map(() => downloads('a', { progress, signal: never }, work));
  const other = downloads('b', { progress: silent, signal: never }, () => Promise.resolve('another'));
  await expect(other).resolves.toBe('another');
  say('half');
  end('done');
  expect(await Promise.all(all)).toEqual(['done', 'done']);
  expect([begun.length, heard]).toEqual([1, ['half', 'half']]);
});

test('A download stops when its last caller gives up, and the next caller starts it again', async () => {
  const downloads = createDownloads();
  const { work, begun } = download();
  const [one, two] = [new AbortController(), new AbortController()];
  const first = downloads('a', { progress: silent, signal: one.signal }, work);
  const second = downloads('a', { progress: silent, signal: two.signal }, work);
  one.abort(new Error('one gives up'));
  await expect(first).rejects.toThrow('one gives up');
  expect(begun[0]!.aborted).toBe(false);
  two.abort(new Error('two gives up'));
  await expect(second).rejects.toThrow('two gives up');
  expect(begun.map(({ aborted }) => aborted)).toEqual([true]);
  const third = downloads('a', { progress: silent, signal: never }, () => Promise.resolve('new'));
  await expect(third).resolves.toBe('new');
});

test('A failed download fails for every caller, and the next caller tries again', async () => {
  const downloads = createDownloads();
  const fail = (): Promise<string> => Promise.reject(new Error('broken'));
  const all = [1, 2].map(() => downloads('a', { progress: silent, signal: never }, fail));
  for (const each of all) await expect(each).rejects.toThrow('broken');
  const again = downloads('a', { progress: silent, signal: never }, () => Promise.resolve('fine'));
  await expect(again).resolves.toBe('fine');
});
