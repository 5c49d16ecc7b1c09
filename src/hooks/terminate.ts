import type { Clock } from '../kit/clock.ts';
import { killGroup } from './leftover.ts';

/** Time for the processes of a cancelled task to end by themselves (unit-agent.md#cancelled-tasks). */
const graceMs = 10_000;
const lookMs = 50;

/**
 * Asks all processes of a group to end with SIGTERM, and kills those that are still there after a while. Resolves when
 * the group is gone, or killed.
 */
export async function terminateGroup(pid: number, clock: Clock): Promise<void> {
  const deadline = clock.now() + graceMs;
  let signal: NodeJS.Signals | 0 = 'SIGTERM';
  while (send(pid, signal)) {
    if (clock.now() >= deadline) return killGroup(pid);
    signal = 0;
    await clock.sleep(lookMs);
  }
}

/** Sends a signal to the group. Returns whether the group has a process. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return false;
  }
}
