import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const timeoutMs = 10_000;

/**
 * Returns git's description of the checkout that contains a folder: `v1.2-3-g0a1b2c3-dirty`. Empty when there is no
 * checkout, no commit or no git.
 */
export async function describeCheckout(folder: string): Promise<string> {
  try {
    // The option keeps git from taking locks: another git process may be changing the index at the same time.
    const { stdout } = await run('git', ['--no-optional-locks', 'describe', '--dirty', '--always'], {
      cwd: folder,
      timeout: timeoutMs,
    });
    return stdout.trim();
  } catch {
    return '';
  }
}
