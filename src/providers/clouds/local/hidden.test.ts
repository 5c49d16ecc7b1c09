import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hiddenFolders } from './hidden.ts';

test('Folders of archives are hidden where links to them lead, apart from those that a machine needs', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'grigri-hidden-')));
  try {
    const [archives, link, lines] = ['archives', 'link', 'two\n/lines'].map((name) => join(folder, name));
    await mkdir(archives!);
    await mkdir(lines!, { recursive: true });
    await symlink(archives!, link!);
    expect(await hiddenFolders({ stateDir: '/absent', archivesDir: link! })).toEqual(['/absent', archives]);
    for (const kept of ['/', '/etc/', '/usr/../var/lib', '/var/log', lines!])
      expect(await hiddenFolders({ stateDir: '/absent', archivesDir: kept })).toEqual(['/absent']);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('Folders with the data of a controller are hidden also where machines mount their storage', async () => {
  expect(
    await hiddenFolders({ stateDir: '/srv/machines', privateDirs: ['/srv'], archivesDir: '/srv' }),
  ).toEqual(['/srv/machines', '/srv']);
});
