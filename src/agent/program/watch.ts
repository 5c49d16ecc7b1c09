/** Watch over a new program's start, in a process of its own: the program may hang. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readProgramState, trialMs, writeProgramState } from './state.ts';

const pollMs = 500;

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
  const state = readProgramState(file);
  if (!state?.trying || startOf(pid) !== start) return;
  writeProgramState(file, { ...state, trying: { ...state.trying, late: true } });
  process.kill(pid, 'SIGKILL');
}

function isTried(file: string): boolean {
  return readProgramState(file)?.trying !== undefined;
}

/** Start of a process in ticks since the boot, which tells it from a later one of the same number; '' = it is gone. */
export function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
