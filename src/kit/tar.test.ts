import { createHook } from 'node:async_hooks';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
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
import { readTar, tarOf, type TarSource } from './tar.ts';

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

async function headerOf(source: TarSource): Promise<Buffer> {
  for await (const piece of tarOf([source], 4096)) return piece;
  throw new Error('nothing is written');
}

/** Names that are found in a tar file. */
async function found(pieces: Iterable<Buffer>): Promise<string[]> {
  const names: string[] = [];
  await pipeline(
    Readable.from(pieces),
    readTar((name) => names.push(name)),
  );
  return names;
}

const long = `${'long-ü/'.repeat(20)}name`;
const contents = {
  'folder/': Buffer.alloc(0),
  'folder/empty': Buffer.alloc(0),
  'folder/block': randomBytes(512),
  'folder/some': randomBytes(70_001),
  ['n'.repeat(100)]: Buffer.from('hundred'),
  ['n'.repeat(200)]: Buffer.from('two hundred'),
  [long]: Buffer.from('content'),
};

test.each([64, 1000, 4096, 262_144])(
  'a tar file is unpacked by tar, and its names are told: pieces of %d bytes',
  async (bytes) => {
    const sources = sourcesOf(contents);
    utimesSync(sources[2]!.path, 3_000_000_000, 3_000_000_000);
    utimesSync(sources[3]!.path, 1_000_000_000, 1_000_000_000);
    const tar = await written(sources, bytes);
    const pieces = Array.from({ length: Math.ceil(tar.length / bytes) }, (_, i) =>
      tar.subarray(i * bytes, (i + 1) * bytes),
    );
    expect(await found(pieces)).toEqual(sources.map(({ name }) => name));
    const file = join(folder, 'file.tar');
    writeFileSync(file, tar);
    const to = join(folder, 'to');
    mkdirSync(to);
    execFileSync('tar', ['-xpf', file, '-C', to], { stdio: 'pipe' });
    for (const [name, content] of Object.entries(contents))
      if (!name.endsWith('/')) expect(readFileSync(join(to, name)).equals(content)).toBe(true);
    expect(statSync(join(to, 'folder')).mode & 0o777).toBe(0o700);
    expect(statSync(join(to, 'folder/some'))).toMatchObject({ mtimeMs: 1_000_000_000_000, mode: 0o100640 });
    expect(statSync(join(to, 'folder/block')).mtimeMs).toBe((2 ** 31 - 1) * 1000);
  },
);

test('a file of 9 GiB has a header that tar reads, and is passed over', async () => {
  const [large] = sourcesOf({ 'source-0': Buffer.alloc(0) });
  truncateSync(large!.path, 9 * 1024 ** 3);
  const own = await headerOf(large!);
  const listed = execFileSync('sh', ['-c', 'tar -tv 2>/dev/null || true'], { input: own, encoding: 'utf8' });
  expect(listed).toMatch(/^-rw-r----- 0\/0 +9663676416 .* source-0$/m);
  const zeros = Buffer.alloc(64 * 1024 ** 2);
  const pieces = [own, ...Array.from({ length: 9 * 16 }, () => zeros), Buffer.alloc(1024)];
  expect(await found(pieces)).toEqual(['source-0']);
});

test('a file that grows while it is written has the size of its header', async () => {
  const sources = sourcesOf({ name: Buffer.alloc(9000, 'a'), next: Buffer.from('next') });
  const pieces: Buffer[] = [];
  for await (const piece of tarOf(sources, 1024)) {
    if (pieces.length < 2) appendFileSync(sources[0]!.path, 'b'.repeat(5000));
    pieces.push(piece);
  }
  const input = Buffer.concat(pieces);
  expect(execFileSync('tar', ['-xO', 'name'], { input, encoding: 'utf8' })).toBe('a'.repeat(9000));
  expect(execFileSync('tar', ['-xO', 'next'], { input, encoding: 'utf8' })).toBe('next');
});

test('a file that becomes shorter while it is written is an error', async () => {
  const [source] = sourcesOf({ name: Buffer.alloc(90_000) });
  const reading = async (): Promise<void> => {
    for await (const piece of tarOf([source!], 1024)) if (piece) truncateSync(source!.path, 10);
  };
  await expect(reading()).rejects.toThrow(`${source!.path} has become shorter`);
});

test('a tar file whose reader stops keeps no file open', async () => {
  const [source] = sourcesOf({ name: Buffer.alloc(900_000) });
  await headerOf(source!);
  const open = (): string =>
    execFileSync('sh', ['-c', `ls -l /proc/${process.pid}/fd`], { encoding: 'utf8' });
  await expect.poll(open).not.toContain(source!.path);
});

test('small files are read without a hand-over to another thread, larger ones are not', async () => {
  const started: string[] = [];
  const hook = createHook({ init: (_id, type) => void started.push(type) });
  const requests = async (sources: readonly TarSource[]): Promise<number> => {
    started.length = 0;
    hook.enable();
    await written(sources, 1024 * 1024).finally(() => hook.disable());
    return started.filter((type) => type.startsWith('FSREQ')).length;
  };
  const small = sourcesOf({ empty: Buffer.alloc(0), byte: Buffer.alloc(1), most: Buffer.alloc(64 * 1024) });
  expect(await requests(small)).toBe(0);
  expect(await requests(sourcesOf({ large: Buffer.alloc(64 * 1024 + 1) }))).toBe(1);
});
