import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../kit/clock.ts';

/** How long two clients wait for each other before one gives up. */
const patienceMs = 10_000;

/**
 * Runs `fn` while no other client of ours does on the same path (client-files.md#locking). The file holds its owner's
 * pid, so that what a killed client left is taken over. Errors: plain Error after 10 s.
 */
export async function withLock<T>(path: string, clock: Clock, fn: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const deadline = clock.now() + patienceMs;
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
  // Written whole under another name, then linked: nobody ever sees a lock without a pid.
  const mine = `${path}.${process.pid}.${process.hrtime.bigint()}`;
  const file = await open(mine, 'wx', 0o600);
  try {
    await file.writeFile(String(process.pid));
    await link(mine, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await file.close();
    await rm(mine, { force: true });
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

/** Takes a dead client's lock away; one that was renewed meanwhile is put back. */
async function clear(path: string): Promise<void> {
  const aside = `${path}.${process.pid}.stale`;
  try {
    await rename(path, aside);
  } catch {
    return; // somebody else cleared it
  }
  if (!(await isStale(aside))) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}
