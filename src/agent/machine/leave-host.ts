import { spawn } from 'node:child_process';
import { removalScript } from '../../providers/user-data/index.ts';

/**
 * Takes from an enlisted host all that made it a machine, this agent and its service too: in a process of its own, that
 * ends this one. Resolves, to its exit status, when it could not even do that.
 */
export async function leaveHost(): Promise<number> {
  const child = spawn('/bin/sh', ['-c', removalScript()], { detached: true, stdio: 'ignore', cwd: '/' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
