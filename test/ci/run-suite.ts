/** Runs one suite: a process group with files of its own, until it ends or its deadline; then looks for leftovers. */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { countsOf, type Counts } from './counts.ts';
import { hostTraces, processesOf } from './leftovers.ts';
import { withPart } from '../part.ts';
import type { Suite } from './suites.ts';

export interface Result {
  readonly suite: string;
  readonly result: 'passed' | 'failed' | 'ended at its deadline' | 'interrupted' | 'not run';
  readonly seconds: number;
  /** Processor time in seconds of the suite's processes that ended normally. */
  readonly processorSeconds: number;
  readonly counts: Counts;
  readonly leftovers: readonly string[];
  /** Path of the log; '' = none. */
  readonly log: string;
}

/** Time in milliseconds between SIGTERM and SIGKILL. */
const graceMs = 20_000;

interface RunOptions {
  readonly root: string;
  readonly folder: string;
  readonly part: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * Runs a suite. `folder`: folder of all suites' files, with a short path, as sockets are below it. `part`: part that
 * long suites run; undefined = whole suites. Never rejects because of the suite.
 */
export async function runSuite(suite: Suite, { root, folder, part, signal }: RunOptions): Promise<Result> {
  const own = join(folder, suite.name);
  const [home, tmp] = [join(own, 'home'), join(own, 't')];
  for (const path of [own, home, tmp]) mkdirSync(path, { mode: 0o755 });
  const logPath = join(folder, `${suite.name}.log`);
  const log = openSync(logPath, 'a');
  const before = suite.resources.includes('network') ? hostTraces() : undefined;
  const started = performance.now();

  const timesPath = join(own, 'times');
  const command = (part === undefined ? suite.full : undefined) ?? suite.command;
  const child = spawn(
    'bash',
    [
      '-c',
      '"$@"; status=$?; times >"$CI_TIMES"; exit $status',
      suite.name,
      'npm',
      'run',
      '--silent',
      ...command,
    ],
    {
      cwd: root,
      detached: true,
      stdio: ['ignore', log, log],
      env: {
        ...withPart(process.env, part),
        ...ownFiles(home, tmp),
        CI_TIMES: timesPath,
        NO_COLOR: '1',
      },
    },
  );
  closeSync(log);
  const ended = new Promise<number>((resolve) => {
    child.on('error', () => resolve(-1));
    child.on('exit', (code) => resolve(code ?? -1));
  });
  const over = new AbortController();
  const cause = await Promise.race([
    ended.then(() => 'end' as const),
    sleep(suite.deadlineMinutes * 60_000, 'deadline' as const, { signal: over.signal }).catch(
      () => 'end' as const,
    ),
    aborted(signal),
  ]);
  over.abort();
  if (cause !== 'end') await endGroup(child.pid, ended);
  const code = await ended;
  const seconds = (performance.now() - started) / 1000;

  const leftovers = await findLeftovers(own, before);
  const succeeded = cause === 'end' && code === 0 && leftovers.length === 0;
  const causes = { end: 'failed', deadline: 'ended at its deadline', interrupt: 'interrupted' } as const;
  return {
    suite: suite.name,
    result: succeeded ? 'passed' : causes[cause],
    seconds,
    processorSeconds: processorSeconds(timesPath),
    counts: countsOf(readFileSync(logPath, 'utf8'), succeeded),
    leftovers,
    log: logPath,
  };
}

/**
 * Returns environment variables for a suite's own files, but for the user's own ones in which package managers find
 * their mirrors.
 */
function ownFiles(home: string, tmp: string): NodeJS.ProcessEnv {
  const user = homedir();
  return {
    HOME: home,
    JUJU_DATA: join(home, 'juju'),
    TMPDIR: tmp,
    NPM_CONFIG_USERCONFIG: process.env['NPM_CONFIG_USERCONFIG'] ?? join(user, '.npmrc'),
    NPM_CONFIG_CACHE: process.env['NPM_CONFIG_CACHE'] ?? join(user, '.npm'),
    PIP_CACHE_DIR: process.env['PIP_CACHE_DIR'] ?? join(user, '.cache/pip'),
    XDG_CONFIG_HOME: process.env['XDG_CONFIG_HOME'] ?? join(user, '.config'),
  };
}

function aborted(signal: AbortSignal): Promise<'interrupt'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('interrupt');
    else signal.addEventListener('abort', () => resolve('interrupt'), { once: true });
  });
}

async function endGroup(pid: number | undefined, ended: Promise<unknown>): Promise<void> {
  if (pid === undefined) return;
  kill(-pid, 'SIGTERM');
  await Promise.race([ended, sleep(graceMs, undefined, { ref: false })]);
  kill(-pid, 'SIGKILL');
}

/**
 * Finds leftovers. Processes get a moment to end, and are then killed, so that the next suite starts in the same
 * state.
 */
async function findLeftovers(own: string, before: ReadonlySet<string> | undefined): Promise<string[]> {
  let processes = processesOf(own);
  for (let tries = 0; processes.length > 0 && tries < 10; tries++) {
    await sleep(500);
    processes = processesOf(own);
  }
  for (const { pid } of processes) kill(pid, 'SIGKILL');
  const traces = before ? [...hostTraces()].filter((trace) => !before.has(trace)) : [];
  return [...processes.map(({ pid, command }) => `process ${pid}: ${command}`), ...traces];
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: the process has ended.
  }
}

/** Parses the second line of the shell's `times`, that of its children: `1m2.345s 0m1.000s`. */
function processorSeconds(path: string): number {
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return 0;
  }
  const [, children = ''] = text.split('\n');
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
}
