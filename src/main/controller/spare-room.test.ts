import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { loadProviders } from '../../providers/external.ts';
import { openSqliteStore } from '../../store/sqlite/open-sqlite-store.ts';
import { initController } from './init.ts';
import { giveRoom, keepRoom } from './spare-room.ts';

const disk = mkdtempSync(join(tmpdir(), 'grigri-room-'));
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', disk]).status === 0;
const filler = join(disk, 'filler');
afterEach(() => rmSync(filler, { force: true }));
afterAll(() => {
  if (isMounted) spawnSync('umount', [disk]);
  rmSync(disk, { recursive: true });
});

/** Fills the disk except for this number of bytes. */
function fill(free = 0): void {
  expect(() => writeFileSync(filler, Buffer.alloc(17 * 1024 * 1024, 1))).toThrow('ENOSPC');
  truncateSync(filler, statSync(filler).size - free);
}

test.runIf(isMounted)(
  'A controller reserves space for its small files on a disk that others fill',
  async () => {
    const room = join(disk, 'room');
    const write = (): void => writeFileSync(join(disk, 'ready'), 'x'.repeat(8192));
    await keepRoom(room);
    fill();
    expect(write).toThrow('ENOSPC');
    await giveRoom(room);
    write();
    // The reservation takes as much as is left.
    await keepRoom(room);
    expect(statSync(room).size).toBeGreaterThan(0);
  },
);

test.runIf(isMounted)(
  'A start without reserved space names the disk, the space needed and the remedy',
  async () => {
    const dataDir = join(disk, 'data');
    const cloud = { name: 'local', type: 'local', region: 'default' };
    const config = {
      name: 'one',
      adminUser: 'admin',
      adminPassword: 'sesame',
      cloud,
      config: { 'api-port': 0 },
    };
    await initController(dataDir, config, await loadProviders([]));
    fill();
    const program = join(import.meta.dirname, '../controller.ts');
    const run = spawnSync(process.execPath, [program, 'run', '--data-dir', dataDir], { encoding: 'utf8' });
    expect(run.status).toBe(1);
    const [, needed] = /is full: a start needs ([\d,]+) KiB there and \d+ KiB are free\./.exec(run.stderr)!;
    // The space for the agents' Node is included, since it is not copied yet.
    expect(Number(needed!.replaceAll(',', '')) * 1024).toBeGreaterThan(statSync(process.execPath).size);
    expect(run.stderr).toContain(`ERROR the disk of ${dataDir} is full: `);
    expect(run.stderr).toContain(`Make room ("df" and "grigri store-report --data-dir ${dataDir}" list`);
    expect(run.stderr).toContain('see docs/reference/store.md');
  },
);

test.runIf(isMounted)(
  'A store that is open for reading leaves the free space on its disk alone',
  async () => {
    const path = join(disk, 'store.db');
    const open = () =>
      openSqliteStore<object>({ path, indexes: {}, now: Date.now, newUuid: () => crypto.randomUUID() });
    await open().close();
    fill(65_536);
    const store = open();
    expect(store.problem).toContain(`the disk of ${path} is full`);
    writeFileSync(join(disk, 'ready'), 'x'.repeat(32_768));
    await store.close();
  },
);
