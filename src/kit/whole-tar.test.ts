import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tarOf } from './tar.ts';
import { WholeTar } from './whole-tar.ts';

const names = ['empty', 'some', `${'long-'.repeat(50)}name`];
const sizes = [0, 70_001, 512];

let folder: string;
let own: Buffer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'grigri-whole-tar-'));
  for (const [i, name] of names.entries()) writeFileSync(join(folder, name), Buffer.alloc(sizes[i]!, 'x'));
  own = await bytesOf(tarOf(sourcesOf(names), 4096));
});
afterAll(() => rmSync(folder, { recursive: true }));

const sourcesOf = (of: readonly string[]) => of.map((name) => ({ name, path: join(folder, name) }));

async function bytesOf(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Sizes that are told of the entries; what passed must be the whole. */
async function told(tar: Buffer, pieceBytes = 1000): Promise<number[]> {
  const found: number[] = [];
  const count = Math.ceil(tar.length / pieceBytes);
  const pieces = Array.from({ length: count }, (_, i) => tar.subarray(i * pieceBytes, (i + 1) * pieceBytes));
  await pipeline(
    Readable.from(pieces),
    new WholeTar((bytes) => found.push(bytes)),
    async (content: AsyncIterable<Buffer>) => expect((await bytesOf(content)).equals(tar)).toBe(true),
  );
  return found;
}

test.each([100, 512, 1000, 1 << 20])(
  'a tar file passes, and its sizes are told: pieces of %d bytes',
  async (bytes) => {
    expect(await told(own, bytes)).toEqual(sizes);
  },
);

test.each(['gnu', 'pax', 'ustar'])(
  'a tar file of tar in the form %s passes, with its padding',
  async (form) => {
    const short = form === 'ustar' ? names.slice(0, 2) : names;
    const tar = execFileSync('tar', ['-c', `--format=${form}`, '-C', folder, ...short]);
    expect(tar.length % 10_240).toBe(0);
    expect(await told(tar)).toEqual(sizes.slice(0, short.length));
  },
);

test.each(['gnu', 'pax'])(
  'a file of 9 GiB is known by its header in the form %s, and missed when it is not there',
  async (form) => {
    const large = join(folder, 'large');
    writeFileSync(large, '');
    truncateSync(large, 9 * 1024 ** 3);
    const script = `tar -c --format=${form} -C "$0" large | head -c 4096`;
    const start = execFileSync('sh', ['-c', script, folder], { stdio: ['ignore', 'pipe', 'ignore'] });
    const found: number[] = [];
    const whole = pipeline(Readable.from([start]), new WholeTar((bytes) => found.push(bytes)).resume());
    await expect(whole).rejects.toThrow('unexpected end of file');
    expect(found).toEqual([9 * 1024 ** 3]);
  },
);

test('a tar file that is cut off anywhere is refused', async () => {
  const end = own.length - 1024;
  for (const length of [0, 1, 511, 512, 1024, end - 1, end, end + 1, end + 511, end + 513])
    await expect(told(own.subarray(0, length)), `${length}`).rejects.toThrow('unexpected end of file');
});

test.each([
  ['another tar file', () => Buffer.concat([own, own]), 'something follows its end'],
  ['a block of other bytes', () => Buffer.concat([own, Buffer.alloc(512, 'x')]), 'something follows its end'],
  ['a few bytes', () => Buffer.concat([own, Buffer.from('x')]), 'unexpected end of file'],
])('a tar file with %s after its end is refused', async (_what, tar, why) => {
  await expect(told(tar())).rejects.toThrow(why);
});

test('other content is refused', async () => {
  await expect(told(Buffer.alloc(2000, 'x'))).rejects.toThrow('it is no tar file');
  const header = Buffer.from(own.subarray(0, 512));
  // The number of the size has 8 bytes that are no safe integer.
  header.fill(0xff, 124, 136);
  await expect(told(header)).rejects.toThrow('it is no tar file');
});
