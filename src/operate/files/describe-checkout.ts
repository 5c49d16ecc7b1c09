import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const timeoutMs = 10_000;

/**
 * Returns git's description of the checkout that contains a folder: `v1.2-3-g0a1b2c3-dirty`. Empty when there is no
 * checkout, no commit or no git.
 */
export async function describeCheckout(folder: string): Promise<string> {
  try {
    if (!isInCheckout(realpathSync(folder))) return '';
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

/** Looks where git looks, without a process: a checkout's `.git` is a folder, or a file in a worktree or submodule. */
function isInCheckout(folder: string): boolean {
  const parent = dirname(folder);
  return existsSync(join(folder, '.git')) || (parent !== folder && isInCheckout(parent));
}
