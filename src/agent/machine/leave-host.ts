import { spawn } from 'node:child_process';
import { removalScript } from '../../providers/toolkit/user-data/index.ts';

/**
 * Removes the machine's files from an enlisted host, this agent and its service included, in a separate process that
 * also ends this one. Resolves, with its exit status, only when that process could not do it.
 */
export async function leaveHost(): Promise<number> {
  const child = spawn('/bin/sh', ['-c', removalScript()], { detached: true, stdio: 'ignore', cwd: '/' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
