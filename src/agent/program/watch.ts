/** Watch over a new program's start, in a process of its own: the program may hang. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readProgramState, trialMs, writeProgramState } from './state.ts';

const pollMs = 500;
/** Time in milliseconds between two looks at a process that was killed. */
const goneMs = 10;

/** Has another process watch over this one. `launcher`: program that runs watchTrial for the command `watch`. */
export function setWatch(launcher: string, file: string): void {
  const watch = [process.execPath, launcher, 'watch', file, String(process.pid), startOf(process.pid)];
  // A child of the machine's first process, which waits for it.
  spawnSync('sh', ['-c', '"$@" </dev/null >/dev/null 2>&1 &', 'sh', ...watch], { stdio: 'ignore' });
}

/**
 * Kills the process unless its program is confirmed in time. `start`: when the process began (startOf). `lock`: locks
 * the file against other starts; undefined when one runs.
 */
export async function watchTrial({
  file,
  pid,
  start,
  limitMs = trialMs,
  lock,
}: {
  readonly file: string;
  readonly pid: number;
  readonly start: string;
  readonly limitMs?: number;
  readonly lock?: () => Promise<Disposable | undefined>;
}): Promise<void> {
  // Steps are counted instead of reading the clock, which may be set meanwhile.
  for (let waitedMs = 0; waitedMs < limitMs; waitedMs += pollMs) {
    if (!isTried(file) || startOf(pid) !== start) return;
    await sleep(pollMs);
  }
  const starts = readProgramState(file)?.trying?.starts;
  if (starts === undefined || startOf(pid) !== start) return;
  process.kill(pid, 'SIGKILL');
  // Until it has ended, it may still be confirmed.
  while (startOf(pid) === start) await sleep(goneMs);
  using held = await lock?.();
  if (lock && !held) return;
  const state = readProgramState(file);
  if (state?.trying?.starts === starts)
    writeProgramState(file, { ...state, trying: { ...state.trying, late: true } });
}

function isTried(file: string): boolean {
  return readProgramState(file)?.trying !== undefined;
}

/** Start of a process in ticks since the boot, which tells it from a later one of the same number; '' = it is gone, or a zombie. */
export function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? '' : (fields[19] ?? '');
  } catch {
    return '';
  }
}
