import { execFile } from 'node:child_process';
import type { Clock } from '../../kit/clock.ts';

/** How long a machine may take to end this process, once it has agreed to reboot. */
const patienceMs = 60_000;

/**
 * Ends every process of a sandbox and starts it anew: does not return then. Returns where there is no machine to
 * reboot but the host itself, and where it would not.
 */
export async function rebootMachine(clock: Clock): Promise<void> {
  // The local provider says so to the first process of a sandbox: only there `shutdown` is the sandbox's own.
  if (process.env['container'] !== 'grigri') return;
  const agreed = await new Promise<boolean>((resolve) =>
    execFile('shutdown', ['-r', 'now'], (error) => resolve(!error)),
  );
  if (agreed) await clock.sleep(patienceMs);
}
