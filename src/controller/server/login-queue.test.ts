import { expect, test } from 'vitest';
import { limits } from '../../core/limits.ts';
import { LoginQueue, type Share } from './login-queue.ts';

/** A queue of one place, which is taken until `free` is called. */
function takenQueue() {
  const queue = new LoginQueue(1);
  const place = Promise.withResolvers<void>();
  const done: string[] = [];
  const refused: string[] = [];
  const first = queue.run({ share: 'proven', address: 'first' }, () => place.promise);
  return {
    done,
    refused,
    add: (share: Share, address: string, name = address) =>
      void queue
        .run({ share, address }, async () => void done.push(name))
        .catch(() => void refused.push(name)),
    async free() {
      place.resolve();
      await first;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('each share has its turn, however many logins wait in the others', async () => {
  const queue = takenQueue();
  for (let i = 0; i < 10; i++) queue.add('unknown', 'there', `unknown ${i}`);
  for (let i = 0; i < 10; i++) queue.add('known', 'there', `known ${i}`);
  queue.add('proven', 'here');
  await queue.free();
  expect(queue.done.slice(0, 3)).toContain('here');
  expect(queue.done).toHaveLength(21);
});

test('each address has its turn, however many logins of others wait', async () => {
  const queue = takenQueue();
  for (let i = 0; i < 10; i++) queue.add('known', 'there', `there ${i}`);
  queue.add('known', 'here');
  await queue.free();
  expect(queue.done.slice(0, 2)).toEqual(['there 0', 'here']);
});

test('an address has a maximum number of waiting logins', async () => {
  const queue = takenQueue();
  const { max } = limits.waitingLoginsOfAddress;
  for (let i = 1; i <= max + 1; i++) queue.add('known', 'there', `${i}`);
  await queue.free();
  expect(queue.done).toHaveLength(max);
  expect(queue.refused).toEqual([`${max + 1}`]);
});

test('an address with few waiting logins replaces one with many in a full share, and one with as many does not', async () => {
  const queue = takenQueue();
  const { max } = limits.waitingLogins;
  for (let i = 0; i < max; i++) queue.add('known', `address ${i % 8}`, `${i}`);
  queue.add('known', 'address 0', 'one too many');
  queue.add('known', 'here');
  await queue.free();
  expect(queue.refused).toHaveLength(2);
  expect(queue.refused).toContain('one too many');
  expect(queue.done).toHaveLength(max);
  expect(queue.done).toContain('here');
});
