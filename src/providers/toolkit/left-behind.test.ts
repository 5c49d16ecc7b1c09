import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { forgetAt } from './left-behind.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grigri-left-'));
  await mkdir(join(folder, 'old', 'machines'), { recursive: true });
  await mkdir(join(folder, 'old', 'tools'));
});
afterEach(() => rm(folder, { recursive: true }));

const machines = (): string => join(folder, 'old', 'machines');

test('the rest of what a controller has left goes although the link was removed before an attempt was killed', async () => {
  await forgetAt(machines(), 'model');
  expect(await readdir(folder)).toEqual([]);
});

test('the tools of a controller stay while another model has a link there', async () => {
  for (const model of ['model', 'other']) await symlink(folder, join(machines(), model));
  await forgetAt(machines(), 'model');
  expect(await readdir(machines())).toEqual(['other']);
  await forgetAt(machines(), 'other');
  expect(await readdir(folder)).toEqual([]);
});

test('the files of a controller that is there stay', async () => {
  await mkdir(join(folder, 'old', 'controller.json'));
  await forgetAt(machines(), 'model');
  expect(await readdir(join(folder, 'old'))).toEqual(['controller.json', 'machines', 'tools']);
});
