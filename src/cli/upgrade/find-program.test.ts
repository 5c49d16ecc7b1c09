import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { programFileNames } from '../../core/controller/program.ts';
import { limits } from '../../core/limits.ts';
import { runtimeArch } from '../bootstrap/runtime.ts';
import { findProgram } from './find-program.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'grigri-find-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

function write(folder: string, names: readonly string[] = programFileNames): void {
  mkdirSync(folder, { recursive: true });
  for (const name of names) writeFileSync(join(folder, name), name);
}
async function find(path: string): Promise<string[]> {
  await using found = await findProgram(path, runtimeArch, dir);
  return found.files.map(({ name, size }) => `${name} ${size}`);
}
const all = programFileNames.map((name) => `${name} ${name.length}`);

test('a program is found in a folder, in its dist, and in archives of both', async () => {
  write(join(dir, 'flat'));
  expect(await find('flat')).toEqual(all);
  write(join(dir, 'clone/dist'));
  mkdirSync(join(dir, 'clone/src'));
  expect(await find('clone')).toEqual(all);
  execFileSync('tar', ['-czf', join(dir, 'flat.tar.gz'), '-C', join(dir, 'flat'), '.']);
  expect(await find('flat.tar.gz')).toEqual(all);
  execFileSync('tar', ['-cf', join(dir, 'clone.tar'), '-C', dir, 'clone']);
  expect(await find(join(dir, 'clone.tar'))).toEqual(all);
});

test('a program without a runtime gets that of this client', async () => {
  write(dir, programFileNames.slice(1));
  const [node, ...others] = await find('.');
  expect(Number(node?.slice('node '.length))).toBeGreaterThan(1_000_000);
  expect(others).toEqual(all.slice(1));
});

test('what is no program is refused by its name', async () => {
  await expect(find('nowhere')).rejects.toThrow(
    /cannot read the program "nowhere": .*no such file or directory/,
  );
  await expect(find('.')).rejects.toThrow('no program of grigri in "."');
  write(join(dir, 'half'), ['controller.mjs']);
  await expect(find('half')).rejects.toThrow('the program in "half" has no agent.mjs');
  writeFileSync(join(dir, 'text'), 'no archive');
  await expect(find('text')).rejects.toThrow('cannot unpack the program "text": tar: ');
  execFileSync('mkfifo', [join(dir, 'pipe')]);
  await expect(find('pipe')).rejects.toThrow('the program "pipe" is neither a file nor a folder');
  truncateSync(join(dir, 'text'), limits.programArchive.max + 1);
  await expect(find('text')).rejects.toMatchObject({ code: 'quota limit exceeded' });
});
