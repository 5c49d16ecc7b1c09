import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { makeFolder, makeFolderSync } from './make-folder.ts';

const base = mkdtempSync(join(tmpdir(), 'grigri-make-folder-'));
afterAll(() => rmSync(base, { recursive: true }));

const kinds = [
  ['makeFolder', makeFolder],
  ['makeFolderSync', async (path: string, mode?: number) => void makeFolderSync(path, mode)],
] as const;

describe.each(kinds)('%s', (name, make) => {
  test('missing parent folders are made with the same mode, and an existing folder is left as it is', async () => {
    const above = join(base, name);
    const folder = join(above, 'a/b');
    await make(folder, 0o700);
    for (const path of [above, join(above, 'a'), folder]) expect(statSync(path).mode & 0o777).toBe(0o700);
    await make(folder, 0o755);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test('a file in the way is named in the error', async () => {
    const file = join(base, `${name}-file`);
    writeFileSync(file, '');
    await expect(make(file)).rejects.toMatchObject({ code: 'EEXIST', path: file });
    await expect(make(join(file, 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  // Node's recursive mkdir never ends in such a file system.
  test('a folder in a file system that allows no folders is refused', async () => {
    await expect(make('/proc/grigri')).rejects.toMatchObject({ code: 'ENOENT', path: '/proc/grigri' });
    await expect(make('/proc/grigri/below')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

test('makeFolderSync tells whether the folder is new', () => {
  const folder = join(base, 'new/one');
  expect([makeFolderSync(folder), makeFolderSync(folder)]).toEqual([true, false]);
});

test('the product makes folders and their parents by makeFolder only', () => {
  const src = join(import.meta.dirname, '..');
  const found = globSync('**/*.ts', { cwd: src })
    .filter((path) => !path.endsWith('.test.ts') && !path.startsWith('testing/'))
    .filter((path) => /\bmkdir(?:Sync)?\([^;]*recursive: true/.test(readFileSync(join(src, path), 'utf8')));
  expect(found).toEqual([]);
});
