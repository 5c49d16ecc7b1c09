/** The tests run the supervisor with real processes. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { supervisor, updateExitCode } from './supervisor.ts';
import { eventually } from '../../../testing/eventually.ts';

let folder: string;
let supervise: string;
let others: ChildProcess[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grigri-supervisor-'));
  others = [];
  const own = join(folder, 'jujud-machine-0');
  supervise = join(own, 'supervise');
  await mkdir(own);
  await writeFile(
    join(folder, 'program.mjs'),
    `import { appendFileSync, readFileSync } from 'node:fs';
const started = ${JSON.stringify(join(folder, 'started'))};
appendFileSync(started, process.pid + '\\n');
const start = readFileSync(started, 'utf8').trim().split('\\n').length;
try {
  const ends = JSON.parse(readFileSync(${JSON.stringify(join(folder, 'ends'))}, 'utf8'));
  if (start <= ends.length) process.exit(ends[start - 1]);
} catch {}
setInterval(() => undefined, 1000);`,
  );
  const command = [process.execPath, join(folder, 'program.mjs'), 'run'];
  await writeFile(supervise, supervisor(command, join(folder, 'log')), { mode: 0o755 });
});
afterEach(async () => {
  await run('stop');
  for (const other of others) other.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

function run(word: string): Promise<number> {
  return new Promise((resolve) => {
    const child = execFile(supervise, [word], () => resolve(child.exitCode ?? -1));
  });
}

/** Returns the pids of the programs that the supervisor started. */
async function started(): Promise<number[]> {
  const text = await readFile(join(folder, 'started'), 'utf8').catch(() => '');
  return text.split('\n').filter(Boolean).map(Number);
}

const own = async (file: 'pid' | 'agent'): Promise<number> =>
  Number(await readFile(join(folder, 'jujud-machine-0', file), 'utf8'));

/** Tells whether a process runs; a zombie does not count. */
function isThere(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

test('A program that ends is restarted until it is stopped', async () => {
  expect(await run('start')).toBe(0);
  expect(await run('status')).toBe(0);
  await eventually(async () => expect(await started()).toHaveLength(1));
  process.kill((await started())[0]!, 'SIGKILL');
  await eventually(async () => expect(await started()).toHaveLength(2));
  expect(await run('start')).toBe(0);
  expect(await run('stop')).toBe(0);
  expect((await started()).filter(isThere)).toEqual([]);
  expect(await run('status')).not.toBe(0);
});

test('An agent that ends to change its program is started again at once, and its next failure is paused for as the first', async () => {
  const ends = [7, updateExitCode, updateExitCode, updateExitCode, 7];
  await writeFile(join(folder, 'ends'), JSON.stringify(ends));
  await run('start');
  await eventually(async () => expect(await started()).toHaveLength(ends.length + 1));
  const again = 'is started again';
  const change = `the agent has ended to change its program, it ${again}`;
  const failure = `the agent has ended (7), it ${again} in 1 s`;
  const lines = (await readFile(join(folder, 'log'), 'utf8')).split('\n');
  expect(lines.filter((line) => line.includes(again))).toEqual([failure, change, change, change, failure]);
});

test('Pid files from before a boot do not stop the processes that have those pids now', async () => {
  // The process stands for another supervisor in one pid file and for another program in the other.
  const other = spawn('bash', ['-c', 'exec -a "/x/supervise run" sleep 100'], { stdio: 'ignore' });
  others.push(other);
  for (const file of ['pid', 'agent'])
    await writeFile(join(folder, 'jujud-machine-0', file), String(other.pid));
  expect(await run('status')).not.toBe(0);
  expect(await run('start')).toBe(0);
  await eventually(async () => expect(await started()).toHaveLength(1));
  expect(await run('stop')).toBe(0);
  expect(isThere(other.pid!)).toBe(true);
});

test('A program left by a killed supervisor is ended before a new one starts', async () => {
  await run('start');
  await eventually(async () => expect(await started()).toHaveLength(1));
  const supervisor = await own('pid');
  process.kill(supervisor, 'SIGKILL');
  await eventually(() => expect(isThere(supervisor)).toBe(false));
  expect(await run('start')).toBe(0);
  await eventually(async () => expect(await started()).toHaveLength(2));
  const [first, second] = await started();
  expect([isThere(first!), isThere(second!)]).toEqual([false, true]);
});

test('Concurrent starts run the program once', async () => {
  expect(await Promise.all(Array.from({ length: 4 }, () => run('start')))).toEqual([0, 0, 0, 0]);
  await eventually(async () => expect(await started()).not.toHaveLength(0));
  await run('status');
  expect((await started()).filter(isThere)).toHaveLength(1);
});
