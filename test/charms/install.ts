/** Global setup for vitest: installs requirements of the suite that are not npm packages. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folder of the installed programs, which is shared with the interop suite and has its versions. */
export const cache = join(import.meta.dirname, '../interop/.cache');

/** Installs what is missing. Errors: when an installing program fails. */
export default function install(): void {
  execFileSync('sh', ['-eu', join(import.meta.dirname, 'install.sh')], {
    env: { ...process.env, cache },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

/**
 * Returns the folder of a version of ops with its dependencies: the newest, or the one that begins with the text
 * (`2.19`).
 */
export function opsLibraries(like = ''): string {
  const script = readFileSync(join(import.meta.dirname, '../interop/install-python.sh'), 'utf8');
  const versions = /^ops_versions='(.+)'$/m.exec(script)?.[1]?.split(' ') ?? [];
  const found = versions.findLast((version) => `${version}.`.startsWith(like === '' ? '' : `${like}.`));
  if (found === undefined) throw new Error(`ops ${like} is not installed: there are ${versions.join(', ')}`);
  return join(cache, `ops-${found}`);
}
