import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '../../core/limits.ts';
import type { BlobStore } from '../../store/blobs.ts';
import { openFileBlobs } from '../../store/files/open-file-blobs.ts';
import { ArrivingFiles } from './arriving-files.ts';

let dir: string;
let blobs: BlobStore;
let files: ArrivingFiles;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'grigri-arriving-'));
  blobs = openFileBlobs(join(dir, 'blobs'));
  files = new ArrivingFiles(dir, blobs);
});
afterAll(() => rm(dir, { recursive: true }));

const sha256 = createHash('sha256').update('one two').digest('hex');
const of = { model: 'm', sha256 };
const piece = (offset: number, text: string) => ({ offset, data: Buffer.from(text) });
const left = async (): Promise<string[]> => (await readdir(dir)).filter((name) => name !== 'blobs');

test('pieces of a content become a blob, whatever came before', async () => {
  await files.add(of, piece(0, 'left over'), false);
  await files.add(of, piece(0, 'one '), false);
  await expect(files.add(of, piece(5, 'two'), false)).rejects.toThrow(
    'does not follow what is there: 4 bytes',
  );
  await expect(files.add(of, piece(limits.resourceFile.max, 'x'), false)).rejects.toThrow('exceed the limit');
  await files.add(of, piece(4, 'two'), true);
  expect((await blobs.read(sha256)).toString()).toBe('one two');
  expect(await left()).toEqual([]);
});

test('a content that is another one is refused, and nothing of it stays', async () => {
  const another = { model: 'm', sha256: 'f'.repeat(64) };
  await expect(files.add(another, piece(0, 'one'), true)).rejects.toThrow('what arrived is something else');
  expect(await left()).toEqual([]);
});

test('what is not complete of a model is removed when the model is given up, and nothing of another', async () => {
  await files.add(of, piece(0, 'one'), false);
  await files.add({ model: 'm2', sha256 }, piece(0, 'one'), false);
  await files.forget('m');
  expect(await left()).toEqual([`arriving-m2-${sha256}`]);
});
