import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { giveRoom, keepRoom } from './spare-room.ts';

const disk = mkdtempSync(join(tmpdir(), 'grigri-room-'));
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk]).status === 0;
afterAll(() => {
  if (isMounted) spawnSync('umount', [disk]);
  rmSync(disk, { recursive: true });
});

test.runIf(isMounted)('a controller has room for its small files on a disk that others filled', async () => {
  const room = join(disk, 'room');
  const write = (): void => writeFileSync(join(disk, 'ready'), 'x'.repeat(8192));
  await keepRoom(room);
  expect(() => {
    for (let n = 0; ; n++) writeFileSync(join(disk, `filler-${n}`), Buffer.alloc(4096, 1));
  }).toThrow('ENOSPC');
  expect(write).toThrow('ENOSPC');
  await giveRoom(room);
  write();
  // As much of it as there is.
  await keepRoom(room);
  expect(statSync(room).size).toBeGreaterThan(0);
});
