import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createLocks } from '../../kit/locks.ts';

const locks = createLocks();

/** Replaces a file by a value, as writeText does. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  await writeText(path, JSON.stringify(value, null, 2));
}

/**
 * Replaces a file by a text, atomically, mode 0600. Only this process may write it: what a killed one has left is
 * overwritten by the next write.
 */
export async function writeText(path: string, text: string): Promise<void> {
  await locks(path, () => replace(path, `${path}.tmp`, text));
}

/** Replaces a file atomically: readers see the old or the new content, also after a crash. */
export async function writeWhole(path: string, content: string, mode = 0o600): Promise<void> {
  await replace(path, `${path}.${randomUUID()}.tmp`, content, mode);
}

async function replace(path: string, temporary: string, content: string, mode = 0o600): Promise<void> {
  try {
    {
      await using file = await open(temporary, 'w', mode);
      await file.writeFile(content);
      await file.sync();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  // The rename is durable only after its folder is synced.
  await using folder = await open(dirname(path), 'r');
  await folder.sync();
}

/** Returns undefined when the file does not exist. Errors: plain Error that names a damaged file. */
export async function readJson<T>(path: string): Promise<T | undefined> {
  try {
    return parseJson<T>(path, await readFile(path, 'utf8'));
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Parses the text of a file. Errors: plain Error that names the damaged file. */
export function parseJson<T>(path: string, text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw damaged(path, (cause as Error).message, cause);
  }
}

export function damaged(path: string, damage: string, cause?: unknown): Error {
  return new Error(`${path} is damaged (${damage}): restore it from a backup; nothing was changed`, {
    cause,
  });
}

export function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
