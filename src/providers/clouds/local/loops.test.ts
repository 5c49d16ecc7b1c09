import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { disksOf } from './loops.ts';

const [one, other] = ['0a1b2c', '3d4e5f'].map((n) => `juju-${n}-0`) as [string, string];
let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'grigri-loops-'))));
afterEach(() => rmSync(dir, { recursive: true }));

function write(path: string): string {
  const file = join(dir, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
  return file;
}

function link(path: string, to: string): void {
  const file = join(dir, path);
  mkdirSync(dirname(file), { recursive: true });
  symlinkSync(join(dir, to), file);
}

const found = async (): Promise<string[]> => (await disksOf(join(dir, one))).toSorted();

test('the disks of a machine are its own, its volumes, and those of the containers on it', async () => {
  const files = [
    write(`${one}/data/storage/loop/volume-0-0`),
    write(`${one}/volumes/3`),
    write(`${one}/data/containers/model/${other}/data/storage/loop/volume-0-lxd-0-0`),
    write(`${one}/data/containers/model/${other}/volumes/4`),
  ];
  write(`${other}/volumes/5`);
  expect(await found()).toEqual(files.toSorted());
});

test.each([
  ['a file', 'data/storage/loop/volume-0-0', 'volumes/5'],
  ['the folder of files', 'data/storage/loop', 'volumes'],
  ['a folder above', 'data/storage', ''],
  ['the data', 'data', 'data'],
  ['the containers', 'data/containers', 'data/containers'],
  ['a model of containers', 'data/containers/model', 'data/containers/model'],
  ['a container', `data/containers/model/${other}`, ''],
  ['the volumes', 'volumes', 'volumes'],
])('%s that is a link leads to no disks of others', async (_, path, to) => {
  write(`${other}/volumes/5`);
  write(`${other}/loop/volume-1-0`);
  write(`${other}/data/storage/loop/volume-1-1`);
  write(`${other}/data/containers/model/${other}/volumes/6`);
  link(`${one}/${path}`, `${other}/${to}`);
  expect(await found()).toEqual([]);
});
