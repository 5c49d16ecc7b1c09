/**
 * Global setup for vitest: the temporary folder of all tests is in memory, where the host has room for it. A run that
 * leaves processes that use it fails.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processesOf } from './ci/leftovers.ts';

const memory = '/dev/shm';
/** Room for all tests together, and for other users of the same memory. */
const bytesNeeded = 4 * 1024 ** 3;

/**
 * Mounts the folder, since waiting for a disk is a third of the time of store and controller tests. Returns a
 * function that removes it.
 */
export default function useMemory(): (() => void) | undefined {
  if (bytesFree() < bytesNeeded) return undefined;
  const folder = mkdtempSync(join(memory, 'grigri-tests-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  if (!runsPrograms(folder)) {
    remove();
    return undefined;
  }
  // The mode is that of /tmp, as some tests run as other users.
  chmodSync(folder, 0o1777);
  process.env['TMPDIR'] = folder;
  return () => {
    const left = leftIn(folder);
    remove();
    if (left.length > 0) throw new Error(`the tests left processes:\n${left.join('\n')}`);
  };
}

/** Processes that use the folder; vitest's own workers end a moment later. */
function leftIn(folder: string): string[] {
  return processesOf(folder)
    .filter(({ command }) => !command.includes('vitest'))
    .map(({ pid, command }) => `process ${pid}: ${command}`);
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
