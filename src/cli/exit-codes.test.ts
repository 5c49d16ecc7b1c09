/** Exit codes of commands, which scripts rely on: 0 done, 1 failed, 2 usage error, 130 interrupted. */
import { afterAll, expect, test } from 'vitest';
import { testCli } from '../testing/cli.ts';

const cli = testCli();
afterAll(() => cli[Symbol.dispose]());

test.each([
  ['version', 0],
  ['help deploy', 0],
  ['clouds --client', 0],
  ['status', 1],
  ['show-cloud nowhere --client', 1],
  ['regions nowhere --client', 1],
  ['deploi', 2],
  ['status --bogus', 2],
  ['version more', 2],
])('the exit code of "%s" is %i', async (line, code) => {
  expect(await cli.run(line)).toMatchObject({ code });
});

test('the exit code of an interrupted command is 130, without output', async () => {
  const interrupted = AbortSignal.abort();
  expect(await cli.run('status', { signal: interrupted })).toEqual({ code: 130, stdout: '', stderr: '' });
});

test.each([
  // Commands that throw an exit code of their own.
  ['regions nowhere --client', 130],
  // Commands with wrong usage.
  ['deploi', 130],
  ['status --bogus', 130],
  ['version', 0],
])('a command that fails after ^C has the exit code 130: "%s" has %i', async (line, code) => {
  expect(await cli.run(line, { signal: AbortSignal.abort() })).toMatchObject({ code });
});

test('a controller that does not answer in time is reported in one line of error', async () => {
  const silent = new DOMException('no answer within 20 s', 'TimeoutError');
  const run = await cli.run('bootstrap lxd', { providers: () => Promise.reject(silent) });
  expect(run).toEqual({ code: 1, stdout: '', stderr: 'ERROR no answer within 20 s\n' });
});
