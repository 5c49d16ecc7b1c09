import { expect, test } from 'vitest';
import { output } from '../testing/cli.ts';
import { runAllowed } from './allowed-commands.ts';
import type { CliIo } from './io.ts';

/** Runs a line without effects: an allowed command fails, or prints its help, before it needs any. */
async function run(line: string): Promise<string> {
  let text = '';
  const stream = output((piece) => (text += piece));
  const io = {
    program: 'juju',
    stdout: stream,
    stderr: stream,
    env: {},
    signal: new AbortController().signal,
  };
  const code = await runAllowed(line, io as unknown as CliIo);
  return `${code} ${text.split('\n')[0]}`;
}

test.each([
  ['ssh 0', '2 ERROR "ssh" cannot be run here, only in a terminal: juju ssh'],
  ['debug-hook a/0', '2 ERROR "debug-hook" cannot be run here, only in a terminal: juju debug-hooks'],
  ['--debug bootstrap local x', '2 ERROR "bootstrap" cannot be run here, only in a terminal: juju bootstrap'],
  ['-q --verbose scp a b', '2 ERROR "scp" cannot be run here, only in a terminal: juju scp'],
  ['--logging-config status ssh 0', '2 ERROR "ssh" cannot be run here, only in a terminal: juju ssh'],
  ['login', '2 ERROR "login" cannot be run here, only in a terminal: juju login'],
  ['test .', '2 ERROR "test" cannot be run here, only in a terminal: juju test'],
  ['local-image add x', '2 ERROR "local-image" cannot be run here, only in a terminal: juju local-image'],
  ['switch x', '2 ERROR "switch" cannot be run here, only in a terminal: juju switch'],
  ['status "a', '2 ERROR a " is not closed'],
  ['help ssh', '0 Usage: juju ssh'],
  ['status --help', '0 Usage: juju status'],
  ['list-machines --help', '0 Usage: juju machines'],
])('%s', async (line, answer) => {
  expect((await run(line)).slice(0, answer.length)).toBe(answer);
});

test('a shell’s operators are words like others', async () => {
  expect(await run('status; id')).toMatch(/^2 .*"status;"/);
  expect(await run('$(id)')).toMatch(/^2 .*"\$\(id\)"/);
});
