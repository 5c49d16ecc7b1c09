/** Global setup for vitest: what the suite needs and no package of npm is. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Folder that holds what was installed; shared with the interop suite, whose versions these are. */
export const cache = join(import.meta.dirname, '../interop/.cache');

/** Installs what is missing. Errors: when a program that installs fails. */
export default function install(): void {
  execFileSync('sh', ['-eu', join(import.meta.dirname, 'install.sh')], {
    env: { ...process.env, cache },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}
