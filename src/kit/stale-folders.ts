import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from './clock.ts';

const dayMs = 24 * 3600 * 1000;

/** Makes a temporary folder, whose caller removes it, and removes those that killed processes left. Returns its path. */
export async function makeTemporaryFolder(prefix: string): Promise<string> {
  removeStaleFolders(tmpdir(), prefix);
  return mkdtemp(join(tmpdir(), prefix));
}

/**
 * Removes temporary folders of this user whose names begin with the prefix and which nothing was put into for a day: a
 * process that was killed could not remove its own. Folders that cannot be removed stay.
 */
export function removeStaleFolders(parent: string, prefix: string, now = systemClock.now()): void {
  for (const name of namesIn(parent)) {
    if (!name.startsWith(prefix)) continue;
    const folder = join(parent, name);
    try {
      const found = lstatSync(folder);
      if (!found.isDirectory() || found.uid !== process.getuid?.() || now - found.mtimeMs < dayMs) continue;
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // Another process has removed it, or it is in use.
    }
  }
}

function namesIn(parent: string): readonly string[] {
  try {
    return readdirSync(parent);
  } catch {
    return [];
  }
}
