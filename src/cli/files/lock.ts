import { link, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../kit/clock.ts';
import { makeFolder } from '../../kit/make-folder.ts';

/** Time in milliseconds that a client waits for another before it gives up. */
const timeoutMs = 10_000;

/**
 * Runs `fn` while no other grigri client holds the lock at `path` (client-files.md#locking). The file contains its
 * owner's process id, so that the lock of a killed client is taken over. Errors: plain Error after 10 s.
 */
export async function withLock<T>(path: string, clock: Clock, fn: () => Promise<T>): Promise<T> {
  await makeFolder(dirname(path), 0o700);
  const deadline = clock.now() + timeoutMs;
  while (!(await take(path))) {
    if (await isStale(path)) await clear(path);
    else if (clock.now() > deadline)
      throw new Error(`another client holds ${path}; remove the file if none is running`);
    else await clock.sleep(20);
  }
  try {
    return await fn();
  } finally {
    await rm(path, { force: true });
  }
}

async function take(path: string): Promise<boolean> {
  // The lock is written under another name and then linked, so that no client ever sees it without a process id.
  const ownPath = `${path}.${process.pid}.${process.hrtime.bigint()}`;
  const file = await open(ownPath, 'wx', 0o600);
  try {
    await file.writeFile(String(process.pid));
    await link(ownPath, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await file.close();
    await rm(ownPath, { force: true });
  }
}

async function isStale(path: string): Promise<boolean> {
  const pid = Number(await readFile(path, 'utf8').catch(() => ''));
  if (!pid) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Removes a dead client's lock. A lock that another client took in the meantime is put back. */
async function clear(path: string): Promise<void> {
  const stalePath = `${path}.${process.pid}.stale`;
  try {
    await rename(path, stalePath);
  } catch {
    return; // Another client has removed the lock.
  }
  if (!(await isStale(stalePath))) await link(stalePath, path).catch(() => undefined);
  await rm(stalePath, { force: true });
}
