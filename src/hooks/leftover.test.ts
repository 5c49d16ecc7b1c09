import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { forgetGroup, killLeftover, recordGroup, recordIntent } from './leftover.ts';

let dir: string;
let file: string;
let socketPath: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'leftover-'));
  file = join(dir, 'hook.json');
  socketPath = join(dir, 'agent.socket');
});

afterEach(async () => {
  for (const { pid } of children.splice(0)) endGroup(pid!);
  await rm(dir, { recursive: true, force: true });
});

/** Starts a hook with a child process, as its agent would. */
async function startHook(): Promise<ChildProcess & { pid: number; childPid: number }> {
  const child = spawn('/bin/sh', ['-c', 'sleep 1000 & echo $!; wait'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: '/usr/bin:/bin', JUJU_AGENT_SOCKET_ADDRESS: socketPath },
  });
  children.push(child);
  const line = await new Promise<string>((resolve) =>
    child.stdout.once('data', (chunk: Buffer) => resolve(String(chunk))),
  );
  return Object.assign(child as ChildProcess & { pid: number }, { childPid: Number(line) });
}

/** Kills the hook's process group, whose child would outlive it otherwise. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // ESRCH: the process group has ended already.
  }
}

function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

test('a hook that a crashed agent left running is killed with its children, and its record is removed', async () => {
  const hook = await startHook();
  recordGroup(file, socketPath, hook.pid);
  expect(await killLeftover(file)).toBe(true);
  expect(isRunning(hook.pid)).toBe(false);
  while (isRunning(hook.childPid)) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(existsSync(file)).toBe(false);
  expect(await killLeftover(file)).toBe(false);
});

test('a hook whose agent crashed before recording it is found by its socket', async () => {
  recordIntent(file, socketPath);
  const hook = await startHook();
  expect(await killLeftover(file)).toBe(true);
  expect(isRunning(hook.pid)).toBe(false);
});

test('a daemon that an earlier hook left is not taken for the hook that was about to start', async () => {
  const daemon = await startHook();
  // Start times count in hundredths of a second.
  await new Promise((resolve) => setTimeout(resolve, 50));
  recordIntent(file, socketPath);
  expect(await killLeftover(file)).toBe(false);
  expect(isRunning(daemon.pid)).toBe(true);
});

test('another process with the same pid is not killed', async () => {
  const other = await startHook();
  recordGroup(file, socketPath, other.pid);
  const record = JSON.parse(readFileSync(file, 'utf8')) as { group: { startTime: number } };
  record.group.startTime -= 1;
  await writeFile(file, JSON.stringify(record));
  expect(await killLeftover(file)).toBe(false);
  expect(isRunning(other.pid)).toBe(true);
});

test('no hook is killed without a process file, with half a file, or when it is forgotten', async () => {
  expect(await killLeftover(file)).toBe(false);
  await writeFile(file, '{"socketPa');
  expect(await killLeftover(file)).toBe(false);
  const hook = await startHook();
  recordGroup(file, socketPath, hook.pid);
  forgetGroup(file);
  expect(await killLeftover(file)).toBe(false);
  expect(isRunning(hook.pid)).toBe(true);
});
