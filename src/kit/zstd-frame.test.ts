import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { WholeZstdFrames } from './zstd-frame.ts';

/** Passes the bytes through in pieces; returns what came out. */
async function passed(bytes: Buffer, pieceLength: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += pieceLength) pieces.push(bytes.subarray(at, at + pieceLength));
  const out: Buffer[] = [];
  await pipeline(Readable.from(pieces), new WholeZstdFrames(), async (content: AsyncIterable<Buffer>) => {
    for await (const piece of content) out.push(piece);
  });
  return Buffer.concat(out);
}

const frames = [
  ['of nothing', Buffer.alloc(0), 1],
  ['of one byte, repeated', Buffer.alloc(300_000, 7), 1],
  ['of random bytes', randomBytes(300_000), 1],
  ['of both, without a checksum', Buffer.concat([Buffer.alloc(200_000), randomBytes(99)]), 0],
] as const;

test.each(frames)('a frame %s passes whole, in pieces of any length', async (_, content, checksum) => {
  const bytes = zstdCompressSync(content, { params: { [constants.ZSTD_c_checksumFlag]: checksum } });
  for (const pieceLength of [1000, 7, bytes.length])
    expect((await passed(bytes, pieceLength)).equals(bytes)).toBe(true);
});

test.each(frames)('a frame %s that ends early is refused, wherever it ends', async (_, content, checksum) => {
  const bytes = zstdCompressSync(content, { params: { [constants.ZSTD_c_checksumFlag]: checksum } });
  for (let missing = 1; missing <= Math.min(bytes.length, 40); missing++)
    await expect(passed(bytes.subarray(0, -missing), 4096)).rejects.toThrow('unexpected end of file');
});

test('what is no frame, and what comes after one, is refused', async () => {
  const bytes = zstdCompressSync('content');
  await expect(passed(Buffer.from('not compressed'), 3)).rejects.toThrow('it is not compressed by zstd');
  await expect(passed(Buffer.alloc(0), 3)).rejects.toThrow('unexpected end of file');
  await expect(passed(Buffer.concat([bytes, Buffer.from('x')]), 4096)).rejects.toThrow(
    'unexpected end of file',
  );
  await expect(passed(Buffer.concat([bytes, Buffer.from('more content')]), 4096)).rejects.toThrow(
    'it is not compressed by zstd',
  );
  await expect(passed(Buffer.concat([bytes, bytes]), 5)).rejects.toThrow('something follows its end');
  const repeated = zstdCompressSync(Buffer.alloc(300_000));
  await expect(passed(Buffer.concat([bytes, repeated]), 5)).rejects.toThrow('something follows its end');
});

test('an empty frame may follow, as Node’s compression writes it at times', async () => {
  const [bytes, empty] = [zstdCompressSync('content'), zstdCompressSync('')];
  const both = Buffer.concat([bytes, empty]);
  expect((await passed(both, 5)).equals(both)).toBe(true);
});
