/**
 * Hooks outlive an agent that is killed. The next agent finds the hook's process group in a file and kills it before it
 * runs the hook again, so that a hook never runs twice at the same time.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

interface Leftover {
  /** Socket of the unit, by which its processes are recognised: JUJU_AGENT_SOCKET_ADDRESS in their environment. */
  readonly socketPath: string;
  /** Earliest start time, in clock ticks since the machine's boot. */
  readonly notBefore: number;
  /** Process group; absent when the agent crashed between starting the hook and recording it. */
  readonly group?: { readonly pid: number; readonly startTime: number };
}

/**
 * Records that a hook is about to start. Synchronous, as nothing may happen between this call, the start and
 * `recordGroup`.
 */
export function recordIntent(file: string, socketPath: string): void {
  write(file, { socketPath, notBefore: bootTicks() });
}

/** Records the hook right after its start; `pid` leads its process group. */
export function recordGroup(file: string, socketPath: string, pid: number): void {
  const stat = processStat(pid);
  write(file, { socketPath, notBefore: 0, group: { pid, startTime: stat?.startTime ?? -1 } });
}

/** Removes the record after the hook has ended: background processes that the hook left may go on. */
export function forgetGroup(file: string): void {
  rmSync(file, { force: true });
}

/**
 * Kills the process group of a hook that a crashed agent left running, and waits until its leader has ended. Returns
 * whether there was such a group. A pid that belongs to another process by now is left alone.
 */
export async function killLeftover(file: string): Promise<boolean> {
  const leftover = read(file);
  if (!leftover) return false;
  const group = leftover.group ?? findUnrecorded(leftover);
  const running = group !== undefined && isRunning(group);
  if (running) {
    killGroup(group.pid);
    while (isRunning(group)) await sleep(5);
  }
  forgetGroup(file);
  return running;
}

/** Kills every process of the group at once. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function isRunning(group: { pid: number; startTime: number }): boolean {
  const stat = processStat(group.pid);
  return stat !== undefined && stat.startTime === group.startTime && stat.state !== 'Z';
}

/** Finds the session leader of this unit that started last since the intent was recorded. */
function findUnrecorded({ socketPath, notBefore }: Leftover): Leftover['group'] {
  const mark = `JUJU_AGENT_SOCKET_ADDRESS=${socketPath}`;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const pid = Number(name);
    const stat = processStat(pid);
    if (!stat || stat.session !== pid || stat.startTime < notBefore) continue;
    try {
      if (readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(mark)) {
        return { pid, startTime: stat.startTime };
      }
    } catch {
      // Processes may have ended meanwhile, or belong to another user.
    }
  }
  return undefined;
}

function processStat(pid: number): { state: string; session: number; startTime: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name in parentheses and may contain anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', session: Number(fields[3]), startTime: Number(fields[19]) };
  } catch {
    return undefined;
  }
}

/** Returns the current time in the unit of processes' start times: Linux shows them in hundredths of a second. */
function bootTicks(): number {
  const seconds = Number(readFileSync('/proc/uptime', 'latin1').split(' ')[0]);
  return Math.floor(seconds * 100) - 1;
}

function write(file: string, leftover: Leftover): void {
  writeFileSync(file, JSON.stringify(leftover), { mode: 0o600 });
}

function read(file: string): Leftover | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Leftover;
  } catch (error) {
    // The file is absent or incomplete: the agent died before it started the hook.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
