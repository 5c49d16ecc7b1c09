import { expect, test } from 'vitest';
import type { Connection } from '../../client/connection.ts';
import { JujuError } from '../../core/errors.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { overLosses } from './over-losses.ts';

/** Opens connections, and counts those that are open. */
function counted() {
  const open = new Set<Connection>();
  const reopen = (): Promise<Connection> => {
    const close = (): Promise<void> => Promise.resolve(void open.delete(connection));
    const connection = { close } as unknown as Connection;
    open.add(connection);
    return Promise.resolve(connection);
  };
  return { open, reopen };
}

test('a connection whose controller cannot answer now is closed before another connection is opened', async () => {
  const clock = new ManualClock();
  const { open, reopen } = counted();
  let answers = false;
  const check = overLosses(
    clock,
    { connection: await reopen(), reopen },
    () => (answers ? Promise.resolve('gone') : Promise.reject(new JujuError('try again', 'busy'))),
    (error) => error,
  );
  for (let polls = 0; polls < 10; polls++) {
    expect(await check()).toEqual({ unreachable: 'busy' });
    expect(open.size).toBe(0);
  }
  answers = true;
  expect(await check()).toBe('gone');
  expect(await check()).toBe('gone');
  expect(open.size).toBe(1);
});

test('a controller that does not answer for five minutes ends the wait, with nothing left open', async () => {
  const clock = new ManualClock();
  const { open, reopen } = counted();
  const check = overLosses(
    clock,
    { connection: await reopen(), reopen },
    () => Promise.reject(new JujuError('try again', 'busy')),
    ({ message }) => new Error(`given up: ${message}`),
  );
  await check();
  clock.advance(5 * 60_000);
  await expect(check()).rejects.toThrow('given up: busy');
  expect(open.size).toBe(0);
});
