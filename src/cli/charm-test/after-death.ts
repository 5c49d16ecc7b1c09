/** Removes the controller of a test run whose process is killed. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';

/**
 * Waits for a word, or for the end of the process that would send it: the kernel closes the pipe then. Nothing runs in
 * a folder without a controller. A folder whose controller cannot be removed stays, so that it can be tried again.
 */
const script = `read -r word && exit 0
folder=$1
shift
if grep -qs . "$JUJU_DATA/controllers.yaml"; then "$@" || exit 1; fi
rm -rf "$folder"`;

/** Process that survives this one to remove a folder and the controller in it. */
export class AfterDeath {
  readonly #child: ChildProcess & { readonly stdin: Writable };

  /**
   * Starts the process. `removal`: the program and arguments that remove the controller; with a failure, the folder is
   * kept.
   */
  constructor(folder: string, removal: readonly string[], env: NodeJS.ProcessEnv) {
    this.#child = spawn('/bin/sh', ['-c', script, 'sh', folder, ...removal], {
      cwd: '/',
      env,
      // The process has a session of its own, so that ^C and the end of the terminal do not reach it.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#child.stdin.on('error', () => undefined);
    this.#child.on('error', () => undefined);
    this.#child.unref();
    (this.#child.stdin as Writable & { unref?: () => void }).unref?.();
  }

  /** Ends the process, which then removes nothing. */
  async cancel(): Promise<void> {
    const child = this.#child;
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.ref();
    child.stdin.end('done\n');
    await ended;
  }
}
