import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readJson, writeJson } from './json-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grigri-json-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('the remains of a killed writer are gone after the next write', async () => {
  const path = join(folder, 'record.json');
  await writeFile(`${path}.tmp`, '{"half');
  await writeJson(path, { whole: true });
  expect(await readJson(path)).toEqual({ whole: true });
  expect(await readdir(folder)).toEqual(['record.json']);
});

test('the last of several concurrent writers wins, and nothing is left of the others', async () => {
  const path = join(folder, 'record.json');
  await Promise.all(Array.from({ length: 20 }, (_, i) => writeJson(path, { i })));
  expect(await readJson(path)).toEqual({ i: 19 });
  expect(await readdir(folder)).toEqual(['record.json']);
});

test('a write that fails leaves nothing', async () => {
  await expect(writeJson(join(folder, 'absent', 'record.json'), {})).rejects.toThrow('ENOENT');
  expect(await readdir(folder)).toEqual([]);
});
