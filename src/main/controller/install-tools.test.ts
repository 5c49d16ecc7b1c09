import { mkdtemp, mkdir, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tidyBuilds } from './install-tools.ts';

test('programs that models need stay, and the three newest others', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'grigri-builds-'));
  for (const [n, name] of ['needed', 'b', 'c', 'd', 'e'].entries()) {
    await mkdir(join(folder, name));
    await utimes(join(folder, name), n, n);
  }
  await tidyBuilds(folder, ['needed', 'of another folder']);
  expect((await readdir(folder)).sort()).toEqual(['c', 'd', 'e', 'needed']);
  await rm(folder, { recursive: true });
});
