import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { errorText, unreadable } from './system-error.ts';

const folder = mkdtempSync(join(tmpdir(), 'grigri-system-error-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "it's"), '');

test.each<[string, () => unknown, string]>([
  ['a missing file', () => readFileSync(`${folder}/none`), `open ${folder}/none: no such file or directory`],
  ['a folder written as a file', () => writeFileSync(folder, ''), `open ${folder}: is a directory`],
  ['a folder read as a file', () => readFileSync(folder), 'read: is a directory'],
  ['a file used as a folder', () => mkdirSync(`${folder}/it's/x`), `mkdir ${folder}/it's/x: not a directory`],
  [
    'a move',
    () => renameSync(`${folder}/a`, `${folder}/b`),
    `rename ${folder}/a ${folder}/b: no such file or directory`,
  ],
])('the error about %s says which call failed, on which path, and why', (_, fails, text) => {
  let caught: unknown;
  try {
    fails();
  } catch (error) {
    caught = error;
  }
  expect(errorText(caught)).toBe(text);
});

test('errors of sockets, other errors and other values keep their text', async () => {
  const refused = await new Promise<Error>((resolve) =>
    connect(join(folder, 'none.sock')).on('error', resolve),
  );
  expect(errorText(refused)).toBe(refused.message);
  expect(errorText(new Error('ENOENT: of ours, open it'))).toBe('ENOENT: of ours, open it');
  expect(errorText('text')).toBe('text');
});

test.each([
  ['none', `no such file: none`],
  ['', 'cannot read : is a directory'],
  ["it's/x", "cannot read it's/x: not a directory"],
])('a file that cannot be read is named as it was given: %j', (file, text) => {
  let caught: unknown;
  try {
    readFileSync(join(folder, file));
  } catch (error) {
    caught = error;
  }
  expect(unreadable(file, caught)).toBe(text);
  expect(unreadable('x', new Error('not YAML'))).toBe('cannot read x: not YAML');
});
