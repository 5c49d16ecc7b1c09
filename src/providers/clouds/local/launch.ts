/** Starts the first process of a machine, which outlives the controller. */
import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../kit/clock.ts';
import { ProviderError } from '../../contract/provider.ts';
import { isAlive, readClaim } from './process.ts';
import { hostEnv } from './run.ts';

/** Resolves when the machine has reported that it is up. Errors: ProviderError with the end of its output. */
export async function launch(params: {
  readonly folder: string;
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { folder, argv, env, clock, signal } = params;
  const [program, ...args] = argv;
  const log = join(folder, 'start.log');
  await using output = await open(log, 'w', 0o600);
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...hostEnv(), ...env },
    // The session is the process's own, without pipes, which protects the machine from the controller's terminal and
    // death.
    detached: true,
    stdio: ['ignore', output.fd, output.fd],
  });
  let ended = false;
  child.once('exit', () => (ended = true));
  child.once('error', () => (ended = true));
  child.unref();
  await waitUntilReady({ folder, clock, signal, hasEnded: () => ended });
}

/** Waits for a machine, also for one whose start another process began. */
export async function waitUntilReady(params: {
  readonly folder: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly hasEnded: () => boolean;
}): Promise<void> {
  const { folder, clock, signal, hasEnded } = params;
  for (;;) {
    signal.throwIfAborted();
    // The order matters: a process that ends after it reported "ready" was up.
    const over = await isOver(folder, hasEnded);
    if (await isReady(folder)) return;
    if (over) {
      const log = await readFile(join(folder, 'start.log'), 'utf8').catch(() => '');
      throw new ProviderError(
        'transient',
        `the machine did not start: ${log.trim().slice(-500) || 'no output'}`,
      );
    }
    await clock.sleep(3, signal);
  }
}

/** Tells whether the machine is on its own root: earlier, its namespaces show the host's files. */
export async function isReady(folder: string): Promise<boolean> {
  return (await readFile(join(folder, 'ready'), 'utf8').catch(() => '')) === 'ready\n';
}

/** Tells whether the claiming process has ended; it need not be the process that this call started. */
async function isOver(folder: string, hasEnded: () => boolean): Promise<boolean> {
  const ended = hasEnded();
  const claim = await readClaim(folder);
  if (claim === 'none') return ended;
  return claim === 'void' || !(await isAlive(claim));
}
