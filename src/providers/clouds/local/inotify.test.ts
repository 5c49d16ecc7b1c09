import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inotifyShortage } from './inotify.ts';

let proc: string;
beforeEach(() => {
  proc = mkdtempSync(join(tmpdir(), 'grigri-proc-'));
  mkdirSync(join(proc, 'sys/fs/inotify'), { recursive: true });
  mkdirSync(join(proc, '7/fd'), { recursive: true });
  mkdirSync(join(proc, '8'));
  symlinkSync('anon_inode:[eventpoll]', join(proc, '7/fd/0'));
  symlinkSync('anon_inode:inotify', join(proc, '7/fd/1'));
  symlinkSync('anon_inode:inotify', join(proc, '7/fd/2'));
});
afterEach(() => rmSync(proc, { recursive: true }));

const setLimit = (text: string): void => writeFileSync(join(proc, 'sys/fs/inotify/max_user_instances'), text);

test('Too few inotify instances for a systemd are reported with their number and the setting', async () => {
  setLimit('7\n');
  expect(await inotifyShortage(proc)).toBe(
    '2 of 7 inotify instances of this user are in use (sysctl fs.inotify.max_user_instances)',
  );
});

test('Nothing is reported when enough inotify instances are left, or the limit is unknown', async () => {
  setLimit('8\n');
  expect(await inotifyShortage(proc)).toBeUndefined();
  rmSync(join(proc, 'sys'), { recursive: true });
  expect(await inotifyShortage(proc)).toBeUndefined();
});
