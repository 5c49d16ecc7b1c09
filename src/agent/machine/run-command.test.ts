import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../kit/clock.ts';
import { eventually } from '../../testing/eventually.ts';
import { commandRunner } from './run-command.ts';

const run = commandRunner(systemClock);
const { signal } = new AbortController();

test("a command's result has its exit code and output", async () => {
  expect(await run('echo out; echo err >&2; exit 3', { signal })).toEqual({
    kind: 'failed',
    code: 3,
    reboot: '',
    output: { stdout: 'out\n', stderr: 'err\n' },
  });
});

test('long output is cut at 4 MiB, and says that it is cut', async () => {
  const result = await run('head -c 5000000 /dev/zero | tr "\\0" x; echo err >&2', { signal });
  expect(result).toMatchObject({ kind: 'done', cut: ['stdout'], output: { stderr: 'err\n' } });
  expect(result.output?.stdout).toHaveLength(4 << 20);
});

test('output that is no text is encoded', async () => {
  const { output } = await run("printf '\\377\\376'", { signal });
  expect(output).toEqual({ stdout: '//4=', 'stdout-encoding': 'base64' });
});

test('a command that exceeds its timeout is killed with its child processes', async () => {
  const result = await run('sleep 1000 & wait', { signal, timeoutMs: 50 });
  expect(result).toMatchObject({ kind: 'failed', message: 'timed out after 0.05s' });
});

test('aborting a command kills what its script left in the background', async () => {
  const abort = new AbortController();
  const folder = mkdtempSync(join(tmpdir(), 'grigri-run-'));
  const pidFile = join(folder, 'pid');
  const running = run(`sleep 1000 & echo $! >${pidFile}.part; mv ${pidFile}.part ${pidFile}`, {
    signal: abort.signal,
  });
  await eventually(() => expect(existsSync(pidFile)).toBe(true));
  const pid = Number(readFileSync(pidFile, 'utf8'));
  abort.abort(new Error('enough'));
  await expect(running).rejects.toThrow('enough');
  await eventually(() => expect(existsSync(`/proc/${pid}`)).toBe(false));
  rmSync(folder, { recursive: true });
});

test('aborting a command kills it', async () => {
  const abort = new AbortController();
  const running = run('sleep 1000 & wait', { signal: abort.signal });
  abort.abort(new Error('enough'));
  await expect(running).rejects.toThrow('enough');
});
