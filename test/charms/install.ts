/** Global setup for vitest: what the suite needs and no package of npm is. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
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

/** Folder of a version of ops with what it needs: the newest, or the one that the text begins (`2.19`). */
export function opsLibraries(like = ''): string {
  const script = readFileSync(join(import.meta.dirname, '../interop/install-python.sh'), 'utf8');
  const versions = /^ops_versions='(.+)'$/m.exec(script)?.[1]?.split(' ') ?? [];
  const found = versions.findLast((version) => `${version}.`.startsWith(like === '' ? '' : `${like}.`));
  if (found === undefined) throw new Error(`ops ${like} is not installed: there are ${versions.join(', ')}`);
  return join(cache, `ops-${found}`);
}
