/** strace: the system calls of processes, and kills at some of them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the program, and the libraries that it needs beside those of the system: from this host's package mirrors,
 * into the folder, where it is not installed.
 */
export function strace(folder: string): { program: string; env: NodeJS.ProcessEnv } {
  if (spawnSync('strace', ['-V']).status === 0) return { program: 'strace', env: process.env };
  execFileSync('apt-get', ['download', 'strace', 'libunwind8'], { cwd: folder });
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.deb')))
    execFileSync('dpkg', ['-x', file, folder], { cwd: folder });
  const libraries = readdirSync(join(folder, 'usr/lib')).map((name) => join(folder, 'usr/lib', name));
  return {
    program: join(folder, 'usr/bin/strace'),
    env: { ...process.env, LD_LIBRARY_PATH: libraries.join(':') },
  };
}
