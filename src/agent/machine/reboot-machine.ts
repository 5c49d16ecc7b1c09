import { execFile } from 'node:child_process';
import type { Clock } from '../../kit/clock.ts';

/** Time that a machine may take to end this process after it has agreed to reboot. */
const patienceMs = 60_000;

/**
 * Ends every process of the machine and starts it anew: does not return in that case. Returns when the machine could
 * not be asked to reboot, and when it did not.
 */
export async function rebootMachine(clock: Clock): Promise<void> {
  const agreed = await new Promise<boolean>((resolve) =>
    execFile('shutdown', ['-r', 'now'], (error) => resolve(!error)),
  );
  if (agreed) await clock.sleep(patienceMs);
}
