/** Watch over a new program's start, in a process of its own: the program may hang. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { markLate, readProgramState, trialMs } from './state.ts';

const pollMs = 500;

/** Has another process watch over this one. `launcher`: program that runs watchTrial for the command `watch`. */
export function setWatch(launcher: string, file: string): void {
  const watch = [process.execPath, launcher, 'watch', file, String(process.pid), startOf(process.pid)];
  // A child of the machine's first process, which waits for it.
  spawnSync('sh', ['-c', '"$@" </dev/null >/dev/null 2>&1 &', 'sh', ...watch], { stdio: 'ignore' });
}

/** Kills the process unless its program is confirmed in time. `start`: when the process began (startOf). */
export async function watchTrial({
  file,
  pid,
  start,
  limitMs = trialMs,
}: {
  readonly file: string;
  readonly pid: number;
  readonly start: string;
  readonly limitMs?: number;
}): Promise<void> {
  // Steps are counted instead of reading the clock, which may be set meanwhile.
  for (let waitedMs = 0; waitedMs < limitMs; waitedMs += pollMs) {
    if (!isTried(file) || startOf(pid) !== start) return;
    await sleep(pollMs);
  }
  const trying = readProgramState(file)?.trying;
  if (!trying || startOf(pid) !== start) return;
  markLate(file, trying);
  process.kill(pid, 'SIGKILL');
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
