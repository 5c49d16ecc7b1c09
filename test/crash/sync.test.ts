/**
 * Durability seen from outside, by the system calls of the process. Between a change's write to the log and its
 * acknowledgement there is an fsync of the log.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { strace } from '../strace.ts';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'grigri-sync-'))));
afterAll(() => rmSync(folder, { recursive: true }));

test('every change is acknowledged after an fsync of the log', () => {
  const { program, env } = strace(folder);
  const trace = join(folder, 'trace');
  const calls = 'trace=write,pwrite64,fsync,fdatasync';
  const child = join(import.meta.dirname, 'sync-child.ts');
  const { status, stderr } = spawnSync(
    program,
    ['-f', '-y', '-e', calls, '-o', trace, process.execPath, child, join(folder, 'store.db')],
    { env, encoding: 'utf8' },
  );
  expect(status, stderr).toBe(0);
  let unsynced = false;
  let acknowledged = 0;
  for (const line of readFileSync(trace, 'utf8').split('\n')) {
    if (/ pwrite64\(\d+<[^>]*store\.db-wal>/.test(line)) unsynced = true;
    else if (/ f(data)?sync\(\d+<[^>]*store\.db-wal>/.test(line)) unsynced = false;
    else if (/ write\(1<.*"acknowledged/.test(line)) {
      expect(unsynced, line).toBe(false);
      acknowledged++;
    }
  }
  expect(acknowledged).toBe(20);
}, 120_000);
