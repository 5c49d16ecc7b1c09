import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hiddenFolders } from './hidden.ts';

test('Folders are hidden where links to them lead, apart from those that a machine needs', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'grigri-hidden-')));
  try {
    const [archives, link, lines] = ['archives', 'link', 'two\n/lines'].map((name) => join(folder, name));
    await mkdir(archives!);
    await mkdir(lines!, { recursive: true });
    await symlink(archives!, link!);
    const given = ['/', '/etc/', '/usr/../var/lib', '/var/log', link!, lines!, '/absent'];
    expect(await hiddenFolders(given)).toEqual([archives, '/absent']);
  } finally {
    await rm(folder, { recursive: true });
  }
});
