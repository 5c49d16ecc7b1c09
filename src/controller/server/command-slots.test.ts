import { expect, test } from 'vitest';
import { limits } from '../../core/limits.ts';
import { CommandSlots } from './command-slots.ts';

const never = new AbortController().signal;

/** Starts a command of the user; `end` ends it. */
function start(slots: CommandSlots, user: string, log: string[], signal = never) {
  let end = (): void => undefined;
  const running = new Promise<void>((resolve) => (end = resolve));
  const done = slots.run(user, signal, () => {
    log.push(user);
    return running;
  });
  done.catch(() => undefined);
  return { end, done };
}

test('commands run up to the limits of all (limits.commands) and of each user; the first to come is served first', async () => {
  const slots = new CommandSlots();
  const log: string[] = [];
  const commands = Array.from({ length: 10 }, (_, n) => start(slots, n < 5 ? 'ann' : `user${n}`, log));
  await Promise.resolve();
  const others = limits.commands.max - limits.commandsOfUser.max;
  expect(log).toEqual([
    ...Array.from({ length: limits.commandsOfUser.max }, () => 'ann'),
    ...Array.from({ length: others }, (_, n) => `user${n + 5}`),
  ]);
  commands[0]!.end();
  await commands[0]!.done;
  expect(log.at(-1)).toBe('ann');
  for (const { end } of commands) end();
  await Promise.all(commands.map(({ done }) => done));
  expect(log).toHaveLength(10);
});

test('a request that stops waiting takes no slot', async () => {
  const slots = new CommandSlots();
  const log: string[] = [];
  const first = Array.from({ length: limits.commandsOfUser.max }, () => start(slots, 'ann', log));
  const gone = new AbortController();
  const waiting = start(slots, 'ann', log, gone.signal);
  const next = start(slots, 'ann', log);
  gone.abort(new Error('gone'));
  await expect(waiting.done).rejects.toThrow('gone');
  for (const { end } of first) end();
  next.end();
  await next.done;
  expect(log).toHaveLength(limits.commandsOfUser.max + 1);
});
