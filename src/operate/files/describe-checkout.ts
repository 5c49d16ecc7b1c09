import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const limitMs = 10_000;

/**
 * What git calls the state of the checkout that a folder lies in: `v1.2-3-g0a1b2c3-dirty`; '' when it lies in none,
 * has no commit yet, or there is no git here.
 */
export async function describeCheckout(folder: string): Promise<string> {
  try {
    // Without locks git only reads: another git may be changing the index at this moment.
    const { stdout } = await run('git', ['--no-optional-locks', 'describe', '--dirty', '--always'], {
      cwd: folder,
      timeout: limitMs,
    });
    return stdout.trim();
  } catch {
    return '';
  }
}
