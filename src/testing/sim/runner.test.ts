import { expect, test } from 'vitest';
import type { Bug } from './mutant.ts';
import { Runner, showsBug } from './runner.ts';

const order = { seed: 1, hours: 0.01, steps: [] };

/** A bug by which each world runs this code before anything else. */
const running = (code: string): Bug => ({
  name: code,
  file: 'testing/sim/run-script.ts',
  find: 'const began = performance.now();',
  replace: `const began = performance.now(); ${code}`,
});

test.each([
  ['hangs, and shows a bug', 'for (;;);', { hangsMs: 300, lookMs: 100, idleMs: -1 }, 'It hangs', true],
  [
    'may have got no processor time, and shows none',
    'await new Promise(() => {});',
    { hangsMs: 600_000, lookMs: 500, idleMs: 100 },
    'It waits for something that never comes',
    false,
  ],
])('a world that is given up %s', async (_, code, limits, sentence, shows) => {
  await using runner = new Runner(running(code), limits);
  const outcome = await runner.run(order);
  expect(outcome.violation?.sentence).toBe(sentence);
  expect(showsBug(outcome)).toBe(shows);
});

test('a process that somebody else kills is an error, not a world that hangs', async () => {
  await using runner = new Runner(running("process.kill(process.pid, 'SIGKILL');"));
  await expect(runner.run(order)).rejects.toThrow('the process of seed 1 ended with SIGKILL');
});

test('a world whose rules hold shows no bug', async () => {
  await using runner = new Runner();
  expect(showsBug(await runner.run(order))).toBe(false);
});
