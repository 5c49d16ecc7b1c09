import { expect, test } from 'vitest';
import { sideBySide } from './side-by-side.ts';

/** Work that ends when the test says so. */
class Work {
  readonly begun: number[] = [];
  readonly #ends = new Map<number, PromiseWithResolvers<string>>();
  readonly run = (item: number): Promise<string> => {
    this.begun.push(item);
    const end = Promise.withResolvers<string>();
    this.#ends.set(item, end);
    return end.promise;
  };
  async end(item: number, error?: Error): Promise<void> {
    if (error) this.#ends.get(item)!.reject(error);
    else this.#ends.get(item)!.resolve(`done ${item}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('at most the given number of items are worked on at a time, and results are in the order of the items', async () => {
  const work = new Work();
  const all = sideBySide([1, 2, 3, 4], 2, work.run);
  expect(work.begun).toEqual([1, 2]);
  await work.end(2);
  await work.end(3);
  expect(work.begun).toEqual([1, 2, 3, 4]);
  await work.end(4);
  await work.end(1);
  expect(await all).toEqual(['done 1', 'done 2', 'done 3', 'done 4']);
  expect(await sideBySide([], 2, work.run)).toEqual([]);
});

test('the first error is thrown when all work that was begun has ended', async () => {
  const work = new Work();
  let ended = '';
  const all = sideBySide([1, 2, 3, 4], 2, work.run).catch((error: Error) => (ended = error.message));
  await work.end(1, new Error('first'));
  expect([work.begun, ended]).toEqual([[1, 2], '']);
  await work.end(2, new Error('second'));
  await all;
  expect([work.begun, ended]).toEqual([[1, 2], 'first']);
});

test('no item is begun after an abort', async () => {
  const work = new Work();
  const stop = new AbortController();
  const all = sideBySide([1, 2, 3], 1, work.run, stop.signal);
  stop.abort(new Error('stopped'));
  await Promise.all([expect(all).rejects.toThrow('stopped'), work.end(1)]);
  expect(work.begun).toEqual([1]);
});
