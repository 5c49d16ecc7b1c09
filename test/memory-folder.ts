/**
 * Global setup for vitest: the temporary folder of all tests is in memory, where the host has room for it. A run that
 * leaves processes that use it fails.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesOf } from './ci/leftovers.ts';

const memory = '/dev/shm';
/** Room for all tests together, and for other users of the same memory. */
const bytesNeeded = 4 * 1024 ** 3;
const looks = 50;
const lookMs = 100;

/**
 * Mounts the folder, since waiting for a disk is a third of the time of store and controller tests. Returns a
 * function that removes it.
 */
export default function useMemory(): (() => Promise<void>) | undefined {
  if (bytesFree() < bytesNeeded) return undefined;
  const folder = mkdtempSync(join(memory, 'grigri-tests-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  if (!runsPrograms(folder)) {
    remove();
    return undefined;
  }
  // The mode is that of /tmp, as some tests run as other users.
  chmodSync(folder, 0o1777);
  // Worlds of providers link to it (src/testing/provider-world.ts).
  copyFileSync(process.execPath, join(folder, 'grigri-tests-runtime'));
  process.env['TMPDIR'] = folder;
  return async () => {
    const left = await leftIn(folder);
    remove();
    if (left.length > 0) throw new Error(`the tests left processes:\n${left.join('\n')}`);
  };
}

/**
 * Returns the processes that use the folder and do not end by themselves in a moment; vitest's own workers end later.
 */
async function leftIn(folder: string): Promise<string[]> {
  for (let look = 1; ; look++) {
    const left = processesOf(folder).filter(({ command }) => !command.includes('vitest'));
    if (left.length === 0 || look === looks)
      return left.map(({ pid, command }) => `process ${pid}: ${command}`);
    await sleep(lookMs);
  }
}

function bytesFree(): number {
  try {
    const { bsize, bavail } = statfsSync(memory);
    return bsize * bavail;
  } catch {
    return 0;
  }
}

function runsPrograms(folder: string): boolean {
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}
