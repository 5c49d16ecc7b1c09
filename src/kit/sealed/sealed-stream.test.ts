import {
  createCipheriv,
  createPrivateKey,
  diffieHellman,
  generateKeyPairSync,
  hash,
  hkdfSync,
  randomBytes,
} from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Transform } from 'node:stream';
import { expect, test } from 'vitest';
import { publicKeyOf, recipientOfKey, recipientOfPassphrase } from './recipient.ts';
import { isSealed, sealFor, unseal } from './sealed-stream.ts';

const cheap = { N: 1024, r: 8, p: 1 };
const pair = generateKeyPairSync('x25519', {
  publicKeyEncoding: { format: 'pem', type: 'spki' },
  privateKeyEncoding: { format: 'pem', type: 'pkcs8' },
});
const kib64 = 64 * 1024;

async function through(stream: Transform, content: Buffer, piece = 10_000): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < content.length; at += piece) pieces.push(content.subarray(at, at + piece));
  const out: Buffer[] = [];
  await pipeline(Readable.from(pieces), stream, async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) out.push(chunk);
  });
  return Buffer.concat(out);
}
const seal = (content: Buffer): Promise<Buffer> =>
  through(sealFor(recipientOfKey(pair.publicKey)).sealing, content);
const open = (sealed: Buffer, piece?: number): Promise<Buffer> =>
  through(unseal({ privateKey: pair.privateKey }), sealed, piece);

test.each([0, 1, kib64 - 1, kib64, kib64 + 1, 2 * kib64, 300_000])(
  'a sealed stream of %i bytes is opened by its key, however it arrives',
  async (size) => {
    const content = randomBytes(size);
    const sealed = await seal(content);
    expect(isSealed(sealed)).toBe(true);
    expect(isSealed(content)).toBe(false);
    for (const piece of [1000, 65_552, 1_000_000])
      expect((await open(sealed, piece)).equals(content), String(piece)).toBe(true);
  },
);

test('a sealed stream is opened by its maker without the recipient', async () => {
  const seal = sealFor(recipientOfKey(pair.publicKey));
  const content = randomBytes(100_000);
  expect((await through(seal.opening(), await through(seal.sealing, content))).equals(content)).toBe(true);
});

test('a stream that is sealed with a passphrase is opened by that, in either form of its letters, and by no other', async () => {
  const recipient = await recipientOfPassphrase('ein Schlüssel', cheap);
  const sealed = await through(sealFor(recipient).sealing, Buffer.from('content'));
  const opened = await through(unseal({ passphrase: 'ein Schlu\u0308ssel' }), sealed);
  expect(opened.toString()).toBe('content');
  await expect(through(unseal({ passphrase: 'another' }), sealed)).rejects.toThrow('the passphrase is wrong');
  await expect(open(sealed)).rejects.toThrow('it is sealed for another key');
});

test('a stream that is sealed for a key is not opened by a passphrase or another key', async () => {
  const sealed = await seal(Buffer.from('content'));
  await expect(through(unseal({ passphrase: 'any' }), sealed)).rejects.toThrow('sealed for a key');
  const other = generateKeyPairSync('x25519').privateKey.export({ format: 'pem', type: 'pkcs8' });
  const opened = through(unseal({ privateKey: String(other) }), sealed);
  await expect(opened).rejects.toThrow('it is sealed for another key');
});

const content = randomBytes(3 * kib64 + 5);
const sealedChunk = kib64 + 16;
test.each<[string, (sealed: Buffer, head: number) => Buffer]>([
  ['cut off in its magic', (sealed) => sealed.subarray(0, 7)],
  ['cut off in its header', (sealed, head) => sealed.subarray(0, head - 1)],
  ['cut off after its header', (sealed, head) => sealed.subarray(0, head)],
  ['cut off between two chunks', (sealed, head) => sealed.subarray(0, head + 2 * sealedChunk)],
  ['cut off in a chunk', (sealed) => sealed.subarray(0, -1)],
  ['longer than it was', (sealed) => Buffer.concat([sealed, Buffer.from('x')])],
  ['changed in a chunk', (sealed, head) => flipped(sealed, head + 70_000)],
  ['changed in its header', (sealed) => flipped(sealed, 16 + 4 + 20)],
  ['changed in its last tag', (sealed) => flipped(sealed, sealed.length - 1)],
  [
    'in another order',
    (sealed, head) =>
      Buffer.concat([
        sealed.subarray(0, head),
        sealed.subarray(head + sealedChunk, head + 2 * sealedChunk),
        sealed.subarray(head, head + sealedChunk),
        sealed.subarray(head + 2 * sealedChunk),
      ]),
  ],
  [
    'without a chunk',
    (sealed, head) => Buffer.concat([sealed.subarray(0, head), sealed.subarray(head + sealedChunk)]),
  ],
])('a sealed stream that is %s is refused', async (_, change) => {
  const sealed = await seal(content);
  const head = 16 + 4 + sealed.readUInt32BE(16);
  await expect(open(change(sealed, head))).rejects.toThrow(/^it (was|is)|^expected/);
});

test('a tag that is shorter than others is refused: four bytes of it could be guessed', async () => {
  const sealed = await seal(randomBytes(kib64 + 5));
  const head = 16 + 4 + sealed.readUInt32BE(16);
  const header = sealed.subarray(20, head);
  const { ephemeral } = JSON.parse(header.toString()) as { readonly ephemeral: string };
  const privateKey = createPrivateKey(pair.privateKey);
  const shared = diffieHellman({ privateKey, publicKey: publicKeyOf(ephemeral) });
  const salt = hash('sha256', header, 'buffer');
  const key = Buffer.from(hkdfSync('sha256', shared, salt, 'grigri sealed 1', 32));
  // The nonce of an empty last chunk, the second.
  const cipher = createCipheriv('aes-256-gcm', key, Buffer.from('000000000000000000000101', 'hex'));
  cipher.final();
  const kept = sealed.subarray(0, head + sealedChunk);
  const tag = cipher.getAuthTag();
  expect(await open(Buffer.concat([kept, tag]))).toHaveLength(kib64);
  for (const length of [4, 8, 12, 15])
    await expect(open(Buffer.concat([kept, tag.subarray(0, length)]))).rejects.toThrow('changed or cut off');
});

function flipped(sealed: Buffer, at: number): Buffer {
  const copy = Buffer.from(sealed);
  copy[at]! ^= 1;
  return copy;
}

test.each([
  '',
  'no key',
  String(generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' })),
])('a recipient of other than an X25519 key is refused: %j', (pem) => {
  expect(() => recipientOfKey(pem)).toThrow('expected an X25519 public key in PEM');
});

test('a passphrase that would take more memory than is accepted is refused', async () => {
  const recipient = await recipientOfPassphrase('secret', cheap);
  const greedy = { ...recipient, wrapped: { ...recipient.wrapped!, N: 2 ** 25 } };
  const sealed = await through(sealFor(greedy).sealing, Buffer.from('content'));
  await expect(through(unseal({ passphrase: 'secret' }), sealed)).rejects.toThrow(
    'more work than is accepted',
  );
});
