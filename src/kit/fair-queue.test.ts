import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

test('jobs run one at a time, and their owners take turns', async () => {
  const queue = new FairQueue();
  const order: string[] = [];
  let running = 0;
  const work = (owner: string, name: string): Promise<void> =>
    queue.run(owner, async () => {
      expect(++running).toBe(1);
      await Promise.resolve();
      order.push(name);
      running--;
    });
  await Promise.all([work('a', 'a1'), work('a', 'a2'), work('a', 'a3'), work('b', 'b1'), work('c', 'c1')]);
  expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
});

test('a failed job rejects for its caller alone, and the queue goes on', async () => {
  const queue = new FairQueue();
  const failed = queue.run('a', () => Promise.reject(new Error('no')));
  const later = queue.run('a', () => Promise.resolve(1));
  await expect(failed).rejects.toThrow('no');
  expect(await later).toBe(1);
  expect(await queue.run('b', () => Promise.resolve(2))).toBe(2);
});
