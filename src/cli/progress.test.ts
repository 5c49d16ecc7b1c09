import { expect, test } from 'vitest';
import { output } from '../testing/cli.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { CommandContext } from './context.ts';
import type { CliIo } from './io.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Returns what is on stderr after the seconds of a task, and after its end. */
async function shown(seconds: readonly number[], { isTTY = true, quiet = false } = {}): Promise<string> {
  let printed = '';
  const clock = new ManualClock();
  const io = { stderr: output((text) => (printed += text), isTTY), clock } as unknown as CliIo;
  const context = new CommandContext(io, { quiet, verbose: false, outputFile: '' });
  const { promise, resolve } = Promise.withResolvers<string>();
  const done = context.progress('Uploading x', promise);
  let before = 0;
  for (const at of seconds) {
    clock.advance((at - before) * 1000);
    before = at;
    await turn();
  }
  resolve('result');
  expect(await done).toBe('result');
  clock.advance(100_000);
  await turn();
  return printed;
}

test.each([
  ['a second', [1], {}, ''],
  ['three seconds', [1, 3], {}, 'Uploading x…\n'],
  ['half a minute', [2, 12, 22, 30], {}, 'Uploading x…\nUploading x… (12 s)\nUploading x… (22 s)\n'],
  ['half a minute with --quiet', [2, 12, 22], { quiet: true }, ''],
  ['half a minute without a terminal', [2, 12, 22], { isTTY: false }, ''],
])('progress of %s', async (_time, seconds, options, text) => {
  expect(await shown(seconds, options)).toBe(text);
});
