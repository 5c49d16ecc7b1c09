import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FollowedTar, tarOf, type TarSource } from './tar.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'grigri-tar-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes files and folders (names that end with `/`); returns them as sources of a tar file. */
function sourcesOf(contents: Readonly<Record<string, Buffer>>): TarSource[] {
  return Object.entries(contents).map(([name, content], i) => {
    const path = join(folder, `source-${i}`);
    if (name.endsWith('/')) mkdirSync(path, { mode: 0o700 });
    else writeFileSync(path, content, { mode: 0o640 });
    return { name: name.replace(/\/$/, ''), path };
  });
}

async function written(sources: readonly TarSource[], pieceBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of tarOf(sources, pieceBytes)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Names and sizes that are found in a tar file of pieces of so many bytes. */
async function found(bytes: Buffer, pieceBytes: number): Promise<[string, number][]> {
  const entries: [string, number][] = [];
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) pieces.push(bytes.subarray(at, at + pieceBytes));
  const tar = new FollowedTar(({ name, size }) => entries.push([name, size])).resume();
  await pipeline(Readable.from(pieces), tar);
  return entries;
}

const long = `${'long-ü/'.repeat(20)}name`;
const contents = {
  'folder/': Buffer.alloc(0),
  'folder/empty': Buffer.alloc(0),
  'folder/block': randomBytes(512),
  'folder/some': randomBytes(70_001),
  ['n'.repeat(100)]: Buffer.from('hundred'),
  [long]: Buffer.from('content'),
};

test.each([64, 1000, 4096, 262_144])(
  'a tar file is unpacked by tar: written in pieces of %d bytes',
  async (bytes) => {
    const sources = sourcesOf(contents);
    utimesSync(sources[3]!.path, 1_000_000_000, 1_000_000_000);
    const file = join(folder, 'file.tar');
    writeFileSync(file, await written(sources, bytes));
    const to = join(folder, 'to');
    mkdirSync(to);
    execFileSync('tar', ['-xpf', file, '-C', to], { stdio: 'pipe' });
    for (const [name, content] of Object.entries(contents))
      if (!name.endsWith('/')) expect(readFileSync(join(to, name)).equals(content)).toBe(true);
    expect(statSync(join(to, 'folder')).mode & 0o777).toBe(0o700);
    expect(statSync(join(to, 'folder/some'))).toMatchObject({ mtimeMs: 1_000_000_000_000, mode: 0o100640 });
  },
);

test.each([7, 512, 100_000])(
  'the entries of a tar file are told: read in pieces of %d bytes',
  async (bytes) => {
    const expected = Object.entries(contents).map(([name, content]) => [name, content.length]);
    expect(await found(await written(sourcesOf(contents), 4096), bytes)).toEqual(expected);
  },
);

test('a file of 9 GiB has the header that tar writes, and is passed over', async () => {
  const [large] = sourcesOf({ 'source-0': Buffer.alloc(0) });
  truncateSync(large!.path, 9 * 1024 ** 3);
  const content = tarOf([large!], 4096);
  const { value: own } = await content.next();
  await content.return();
  const tar = 'tar -cf - --format=gnu --owner=0 --group=0 --numeric-owner source-0 2>/dev/null | head -c 512';
  expect(own).toEqual(execFileSync('sh', ['-c', tar], { cwd: folder }));
  const entries: [string, number][] = [];
  const read = new FollowedTar(({ name, size }) => entries.push([name, size])).resume();
  const zeros = Buffer.alloc(64 * 1024 ** 2);
  const pieces = [own, ...Array.from({ length: 9 * 16 }, () => zeros), Buffer.alloc(1024)];
  await pipeline(Readable.from(pieces), read);
  expect(entries).toEqual([['source-0', 9 * 1024 ** 3]]);
});

test('a tar file that is damaged or ends early is refused', async () => {
  const bytes = await written(sourcesOf({ name: randomBytes(700) }), 4096);
  const damaged = Buffer.from(bytes);
  damaged[3]! ^= 1;
  await expect(found(damaged, 4096)).rejects.toThrow('it is no tar file');
  await expect(found(Buffer.concat([bytes, randomBytes(512)]), 4096)).rejects.toThrow('it is no tar file');
  for (const length of [0, 100, 512, 1000, 1536, 2047, bytes.length - 1])
    await expect(found(bytes.subarray(0, length), 4096)).rejects.toThrow('unexpected end of file');
  expect(await found(Buffer.concat([bytes, Buffer.alloc(1024)]), 4096)).toEqual([['name', 700]]);
});

test('a file that becomes shorter while it is written is an error', async () => {
  const [source] = sourcesOf({ name: Buffer.alloc(9000) });
  const content = tarOf([source!], 4096);
  await content.next();
  truncateSync(source!.path, 10);
  await expect(Readable.from(content).toArray()).rejects.toThrow(`${source!.path} has become shorter`);
});
