import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Clock } from '../../kit/clock.ts';

/** How long a machine may take to end this process, once it has agreed to reboot. */
const patienceMs = 60_000;

/** What the agent runs on. */
export interface Surroundings {
  /** What made the machine. */
  readonly providerType: string;
  /** The agent's own files are the machine's: it was installed on it, and not lent by the controller's host. */
  readonly isInstalled: boolean;
}

/**
 * Ends every process of the machine and starts it anew: does not return then. Returns where there is no machine to
 * reboot but the controller's host itself, where nobody could be asked, and where it would not.
 */
export async function rebootMachine(clock: Clock, surroundings: Surroundings): Promise<void> {
  if (!isSandbox() && !isMachine(surroundings)) return;
  const agreed = await new Promise<boolean>((resolve) =>
    execFile('shutdown', ['-r', 'now'], (error) => resolve(!error)),
  );
  if (agreed) await clock.sleep(patienceMs);
}

/** The local provider says so to the first process of a sandbox: only there `shutdown` is the sandbox's own. */
function isSandbox(): boolean {
  return process.env['container'] === 'grigri';
}

/** With a first process that takes orders: systemd, or sysvinit. */
function isMachine({ providerType, isInstalled }: Surroundings): boolean {
  return (
    providerType !== 'local' &&
    isInstalled &&
    (existsSync('/run/systemd/system') || existsSync('/run/initctl'))
  );
}
