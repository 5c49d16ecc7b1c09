import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BlobStore } from '../blobs.ts';
import { openFileBlobs } from './open-file-blobs.ts';

let folder: string;
let blobs: BlobStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grigri-blobs-'));
  blobs = openFileBlobs(folder);
});
afterEach(() => rmSync(folder, { recursive: true }));

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');
const incoming = (): string[] => readdirSync(join(folder, 'incoming'));

test('a blob is read by its checksum, also after the store is opened again', async () => {
  expect(await blobs.put(Buffer.from('hello'))).toEqual({ sha256: sha('hello'), size: 5 });
  const reopened = openFileBlobs(folder);
  expect((await reopened.read(sha('hello'))).toString()).toBe('hello');
  expect(readFileSync(reopened.path(sha('hello')) ?? '', 'utf8')).toBe('hello');
  expect(incoming()).toEqual([]);
});

test('a stream is stored in the order of its chunks', async () => {
  const chunks = Array.from({ length: 100 }, (_, i) => `${i},`.repeat(1000));
  const { sha256, size } = await blobs.put(Readable.from(chunks), sha(chunks.join('')));
  expect(size).toBe(chunks.join('').length);
  expect((await blobs.read(sha256)).toString()).toBe(chunks.join(''));
});

test('a part of a blob ends with the blob', async () => {
  const { sha256 } = await blobs.put(Buffer.from('hello'));
  const part = async (offset: number, length: number): Promise<string> =>
    (await blobs.readPart(sha256, offset, length)).toString();
  expect([await part(0, 2), await part(2, 3), await part(2, 9), await part(5, 1)]).toEqual([
    'he',
    'llo',
    'llo',
    '',
  ]);
  await expect(blobs.readPart(sha('absent'), 0, 1)).rejects.toMatchObject({ code: 'not found' });
});

test('a complete file is moved into the store', async () => {
  const file = join(folder, 'upload');
  for (const _ of [1, 2]) {
    writeFileSync(file, 'hello');
    await blobs.adopt(file, sha('hello'));
    expect((await blobs.read(sha('hello'))).toString()).toBe('hello');
  }
  await expect(blobs.adopt(file, '../x')).rejects.toMatchObject({ code: 'not valid' });
});

test('content whose checksum differs from the given one is refused and leaves no file', async () => {
  await expect(blobs.put(Buffer.from('hello'), sha('other'))).rejects.toMatchObject({ code: 'not valid' });
  expect(blobs.path(sha('hello'))).toBeUndefined();
  expect(incoming()).toEqual([]);
});

test('a stream that breaks off leaves no file', async () => {
  const broken = Readable.from(
    (async function* () {
      yield Buffer.from('half');
      throw new Error('connection lost');
    })(),
  );
  await expect(blobs.put(broken)).rejects.toThrow('connection lost');
  expect(incoming()).toEqual([]);
});

test('the same content that is put many times at once is one file', async () => {
  await Promise.all(Array.from({ length: 10 }, () => blobs.put(Buffer.from('same'))));
  expect(readdirSync(join(folder, sha('same').slice(0, 2)))).toEqual([sha('same')]);
});

test('files that a crash left half-written are removed when the store is opened again', () => {
  writeFileSync(join(folder, 'incoming', '1'), 'half');
  openFileBlobs(folder);
  expect(incoming()).toEqual([]);
});

test('a removed blob is not found, and a second removal does nothing', async () => {
  const { sha256 } = await blobs.put(Buffer.from('x'));
  expect(await blobs.list()).toEqual([sha256]);
  expect(blobs.remove(sha256, () => false)).toBe(true);
  expect(blobs.remove(sha256, () => false)).toBe(true);
  expect(await blobs.list()).toEqual([]);
  expect(blobs.path(sha256)).toBeUndefined();
  await expect(blobs.read(sha256)).rejects.toMatchObject({ code: 'not found' });
});

test.each(['../../etc/passwd', '', 'A'.repeat(64), `${'a'.repeat(64)}/x`])(
  'the text %j is refused as a checksum',
  async (name) => {
    expect(blobs.path(name)).toBeUndefined();
    await expect(blobs.read(name)).rejects.toMatchObject({ code: 'not found' });
    expect(blobs.remove(name, () => false)).toBe(true);
  },
);

test('a blob in use is not removed, and no blob is removed while a keep is running', async () => {
  const { sha256 } = await blobs.put(Buffer.from('x'));
  expect(blobs.remove(sha256, () => true)).toBe(true);
  expect(blobs.path(sha256)).toBeDefined();
  await blobs.keep(async () => {
    // The blob exists: nothing is written, and it counts as put by this call.
    await blobs.put(Buffer.from('x'));
    expect(blobs.remove(sha256, () => false)).toBe(false);
  });
  await expect(blobs.keep(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  expect(blobs.remove(sha256, () => false)).toBe(true);
  expect(blobs.path(sha256)).toBeUndefined();
});

test('a blob that could not be removed while keeps were running is removed when the last of them ends, unless it is in use then', async () => {
  const [unused, used] = [await blobs.put(Buffer.from('unused')), await blobs.put(Buffer.from('used'))];
  let isUsed = false;
  await blobs.keep(async () => {
    await blobs.keep(async () => {
      expect(blobs.remove(unused.sha256, () => false)).toBe(false);
      expect(blobs.remove(used.sha256, () => isUsed)).toBe(false);
    });
    expect(blobs.path(unused.sha256)).toBeDefined();
    isUsed = true;
  });
  expect(await blobs.list()).toEqual([used.sha256]);
});

test('a removal that fails does not fail the upload that it waited for', async () => {
  const { sha256 } = await blobs.put(Buffer.from('x'));
  const kept = blobs.keep(async () => {
    blobs.remove(sha256, () => {
      throw new Error('the store is closed');
    });
    return 'kept';
  });
  expect(await kept).toBe('kept');
});
