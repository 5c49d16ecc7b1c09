import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeTemporaryFolder, removeStaleFolders } from './stale-folders.ts';

let parent: string;
beforeEach(() => void (parent = mkdtempSync(join(tmpdir(), 'grigri-stale-'))));
afterEach(() => rmSync(parent, { recursive: true }));

const now = 1_800_000_000_000;
function folder(name: string, hoursOld: number): string {
  const path = join(parent, name);
  mkdirSync(path);
  writeFileSync(join(path, 'file'), 'x');
  const seconds = now / 1000 - hoursOld * 3600;
  utimesSync(path, seconds, seconds);
  return path;
}

test('folders with the prefix that are a day old are removed with their contents, and no others', () => {
  const stale = folder('mine-a', 25);
  const others = [folder('mine-b', 23), folder('yours-c', 25)];
  const elsewhere = folder('elsewhere', 25);
  symlinkSync(elsewhere, join(parent, 'mine-link'));
  writeFileSync(join(parent, 'mine-file'), 'x');
  utimesSync(join(parent, 'mine-file'), 1, 1);
  removeStaleFolders(parent, 'mine-', now);
  expect(existsSync(stale)).toBe(false);
  for (const kept of [
    ...others,
    join(elsewhere, 'file'),
    join(parent, 'mine-link'),
    join(parent, 'mine-file'),
  ])
    expect(existsSync(kept), kept).toBe(true);
});

test('a temporary folder that is made takes the place of those that killed processes left', async () => {
  const prefix = `grigri-${basename(parent)}-`;
  const left = mkdtempSync(join(tmpdir(), prefix));
  utimesSync(left, 1, 1);
  const made = await makeTemporaryFolder(prefix);
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith(prefix))).toEqual([basename(made)]);
  rmSync(made, { recursive: true });
});

test('a parent that does not exist has no stale folders', () => {
  expect(() => removeStaleFolders(join(parent, 'none'), 'mine-', now)).not.toThrow();
});
