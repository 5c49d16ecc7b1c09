import { access, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeZip, type ZipContent } from '../../testing/zip.ts';
import { unitPaths, type UnitPaths } from '../paths.ts';
import { deployCharm } from './deploy-charm.ts';

let dir: string;
let paths: UnitPaths;
let fetched: string[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'grigri-deploy-'));
  paths = unitPaths(dir, 'web/0');
  fetched = [];
});
afterEach(() => rm(dir, { recursive: true }));

const deploy = (revision: number, content: ZipContent): Promise<void> =>
  deployCharm(
    paths,
    { url: `local:web-${revision}`, name: 'web', sha256: `sha-${revision}` },
    async ({ sha256 }, file) => {
      fetched.push(sha256);
      await writeZip(file, content);
    },
    new AbortController().signal,
  );
const read = (file: string): Promise<string> => readFile(join(paths.charmDir, file), 'utf8');

test('a charm without a revision file gets one', async () => {
  await deploy(3, { 'hooks/install': 'one' });
  expect(await read('hooks/install')).toBe('one');
  expect(await read('revision')).toBe('3\n');
});

test('an upgrade replaces the charm’s files and keeps what the charm made itself', async () => {
  await deploy(0, { 'hooks/install': 'one', 'old/only': 'gone', 'mixed/old': 'gone', revision: '7' });
  await writeFile(join(paths.charmDir, '.unit-state.db'), 'state');
  await writeFile(join(paths.charmDir, 'mixed/made'), 'made');
  await deploy(1, { 'hooks/install': 'two', new: 'file', revision: '8' });
  expect((await readdir(paths.charmDir)).sort()).toEqual([
    '.unit-state.db',
    'hooks',
    'mixed',
    'new',
    'revision',
  ]);
  expect(await readdir(join(paths.charmDir, 'mixed'))).toEqual(['made']);
  expect([await read('hooks/install'), await read('revision')]).toEqual(['two', '8']);
  expect(await readdir(paths.bundlesDir), 'archives of charms before are removed').toEqual(['sha-1.charm']);
});

test('a file may become a folder, and a folder a file', async () => {
  await deploy(0, { a: 'file', 'b/c': 'file' });
  await deploy(1, { 'a/x': 'in folder', b: 'file now' });
  expect([await read('a/x'), await read('b')]).toEqual(['in folder', 'file now']);
});

test('deploying the same charm again fetches nothing and changes nothing', async () => {
  await deploy(0, { a: 'file' });
  await deploy(0, { a: 'never looked at' });
  expect(fetched).toEqual(['sha-0']);
  expect(await read('a')).toBe('file');
  await expect(access(join(paths.stateDir, 'charm-staging'))).rejects.toMatchObject({ code: 'ENOENT' });
});
