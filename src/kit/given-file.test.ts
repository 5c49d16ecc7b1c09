import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { limits } from '../core/limits.ts';
import { pathOf, readGiven, readToEnd } from './given-file.ts';
import { makeTemporaryFolder } from './stale-folders.ts';

const folder = await makeTemporaryFolder('grigri-given-');
afterAll(() => rmSync(folder, { recursive: true }));
const pipe = join(folder, 'pipe');
execFileSync('mkfifo', [pipe]);
writeFileSync(join(folder, 'file'), 'words\n');

const { max } = limits.givenText;
const withSignal = (signal: AbortSignal) => ({ cwd: folder, home: folder, signal });
const given = withSignal(new AbortController().signal);

test('a text that comes in pieces is read as a whole', async () => {
  const pieces = [Buffer.from('gr'), Buffer.from([0xc3]), Buffer.from([0xa9]), Buffer.from('e')];
  const read = await readToEnd(Readable.from(pieces), 'stdin', { maxBytes: 9, signal: given.signal });
  expect(read.toString()).toBe('grée');
});

test('names are relative to the working directory, or to the home of the user', async () => {
  const folders = { cwd: '/work', home: '/home/me' };
  const names = ['a/b', '../b', '/b', '~/b', '~b'];
  expect(names.map((name) => pathOf(folders, name))).toEqual([
    '/work/a/b',
    '/b',
    '/b',
    '/home/me/b',
    '/work/~b',
  ]);
  expect((await readGiven(given, '~/file', max)).toString()).toBe('words\n');
});

test('a pipe is read until its writer ends, however late that comes', async () => {
  const reading = readGiven(given, 'pipe', max);
  await writeFile(pipe, 'x'.repeat(200_000));
  expect((await reading).toString()).toBe('x'.repeat(200_000));
});

test.each(['pipe', '/dev/zero', '/dev/ptmx'])('an interrupt ends the reading of %s', async (name) => {
  const interrupt = new AbortController();
  const reading = readGiven(withSignal(interrupt.signal), name, Infinity);
  interrupt.abort();
  await expect(reading).rejects.toThrow('The operation was aborted');
  await expect(readGiven(withSignal(interrupt.signal), name, max)).rejects.toThrow(
    'The operation was aborted',
  );
});

test.each([
  ['/dev/zero', max, 'not valid', '/dev/zero: larger than 16 MiB'],
  ['~/file', 5, 'not valid', '~/file: larger than 5 bytes'],
  ['/dev/zero', limits.keyFile.max, 'not valid', '/dev/zero: larger than 16384 bytes'],
  ['none', max, 'not found', 'no such file: none'],
  ['.', max, '', 'cannot read .: is a directory'],
  ['file/none', max, '', 'cannot read file/none: not a directory'],
])('what cannot be read is named: %s, of %d bytes at most', async (name, maxBytes, code, message) => {
  await expect(readGiven(given, name, maxBytes)).rejects.toThrow(expect.objectContaining({ code, message }));
});
