/**
 * Sealed streams: 16 bytes of magic, the length of the header (4 bytes, big endian), the header as JSON, then chunks of
 * 64 KiB under AES-256-GCM, each with its tag. A chunk's nonce is its number, and whether it is the last, so chunks
 * cannot be changed, moved, left out or cut off. The key is agreed upon by X25519 between a key that is made for this
 * stream alone and that of the recipient; it also depends on the header.
 */
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  diffieHellman,
  generateKeyPairSync,
  hash,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import { Transform } from 'node:stream';
import { privateKeyOf, publicKeyOf, rawPublic, type Opener, type Recipient } from './recipient.ts';

const magic = Buffer.from('grigri sealed 1\n');
const chunkBytes = 64 * 1024;
const tagBytes = 16;
const headerMax = 4096;

interface Header {
  readonly recipient: Recipient;
  /** Raw public key of the stream's own pair, in base64. */
  readonly ephemeral: string;
}

/** A sealing stream, and the one that opens what it has sealed, without the recipient. */
export interface Seal {
  readonly sealing: Transform;
  opening(): Transform;
}

export function isSealed(start: Uint8Array): boolean {
  return magic.equals(start.subarray(0, magic.length));
}

/** Errors: plain Error for a recipient without a valid public key. */
export function sealFor(recipient: Recipient): Seal {
  const own = generateKeyPairSync('x25519');
  const header: Header = { recipient, ephemeral: rawPublic(own.publicKey).toString('base64') };
  const text = Buffer.from(JSON.stringify(header));
  const key = keyOf(
    text,
    diffieHellman({ privateKey: own.privateKey, publicKey: publicKeyOf(recipient.publicKey) }),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return {
    sealing: chunked(chunkBytes, tagBytes, Buffer.concat([magic, length, text]), (chunk, nonce, to) => {
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      to.set(cipher.update(chunk));
      cipher.final();
      to.set(cipher.getAuthTag(), chunk.length);
    }),
    opening: () => opening(() => Promise.resolve(key)),
  };
}

/** Opens a sealed stream. Errors of the stream: plain Error when it was changed or cut off, or is not for this opener. */
export function unseal(opener: Opener): Transform {
  return opening(async (text) => {
    const { recipient, ephemeral } = headerOf(text);
    const privateKey = await privateKeyOf(recipient, opener);
    return keyOf(text, diffieHellman({ privateKey, publicKey: publicKeyOf(ephemeral) }));
  });
}

function headerOf(text: Buffer): Header {
  try {
    const header = JSON.parse(text.toString()) as Header;
    if (typeof header.ephemeral === 'string' && typeof header.recipient.publicKey === 'string') return header;
  } catch {
    // It is told below.
  }
  throw new Error('it is damaged');
}

/** A key object: OpenSSL would make one of bytes for each chunk. */
function keyOf(header: Buffer, shared: Buffer): KeyObject {
  const salt = hash('sha256', header, 'buffer');
  return createSecretKey(Buffer.from(hkdfSync('sha256', shared, salt, 'grigri sealed 1', 32)));
}

/** Opens the chunks once the header is whole and `keyFor` has given their key. */
function opening(keyFor: (header: Buffer) => Promise<KeyObject>): Transform {
  let start = Buffer.alloc(0);
  let chunks: Transform | undefined;
  const outer = new Transform({
    transform(data: Buffer, _encoding, callback) {
      if (chunks) return feed(chunks, data, callback);
      start = Buffer.concat([start, data]);
      if (!isSealed(start) && start.length >= magic.length) return callback(new Error('it is not sealed'));
      const from = magic.length + 4;
      const size = start.length < from ? 0 : start.readUInt32BE(magic.length);
      if (size > headerMax) return callback(new Error('it is damaged'));
      if (start.length < from || start.length < from + size) return callback();
      const header = start.subarray(from, from + size);
      keyFor(header).then(
        (key) => {
          chunks = openChunks(key).on('data', (plain: Buffer) => void outer.push(plain));
          chunks.on('error', (error) => outer.destroy(error));
          feed(chunks, start.subarray(from + size), callback);
        },
        (error: unknown) => callback(error as Error),
      );
    },
    flush(callback) {
      if (!chunks) return callback(new Error('it was cut off'));
      chunks.once('end', () => callback()).end();
    },
  });
  return outer;
}

function feed(chunks: Transform, data: Buffer, callback: () => void): void {
  if (chunks.write(data)) callback();
  else chunks.once('drain', callback);
}

function openChunks(key: KeyObject): Transform {
  return chunked(chunkBytes + tagBytes, -tagBytes, undefined, (chunk, nonce, to) => {
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
      decipher.setAuthTag(chunk.subarray(-tagBytes));
      to.set(decipher.update(chunk.subarray(0, -tagBytes)));
      decipher.final();
    } catch (cause) {
      throw new Error('it was changed or cut off', { cause });
    }
  });
}

/**
 * Works on chunks of a size; the last, which may be shorter or empty, is known by the end. What `work` makes of a chunk
 * has `more` bytes than it.
 */
function chunked(
  size: number,
  more: number,
  first: Buffer | undefined,
  work: (chunk: Buffer, nonce: Buffer, to: Buffer) => void,
): Transform {
  let parts: Buffer[] = [];
  let length = 0;
  let count = 0;
  const next = (chunk: Buffer, isLast: boolean, to: Buffer): void => {
    const nonce = Buffer.alloc(12);
    nonce.writeUInt32BE(count++, 7);
    nonce[11] = isLast ? 1 : 0;
    work(chunk, nonce, to);
  };
  const stream = new Transform({
    transform(data: Buffer, _encoding, callback) {
      parts.push(data);
      length += data.length;
      // A whole chunk waits for the next byte, for it may be the last.
      const whole = Math.ceil(length / size) - 1;
      if (whole <= 0) return callback();
      // The chunks lie in the data, except for the first, which may begin before.
      const end = data.length - (length - whole * size);
      const out = Buffer.allocUnsafeSlow(whole * (size + more));
      try {
        for (let n = 0, to = end - (whole - 1) * size; n < whole; n++, to += size) {
          const chunk =
            to < size
              ? Buffer.concat([...parts.slice(0, -1), data.subarray(0, to)])
              : data.subarray(to - size, to);
          next(chunk, false, out.subarray(n * (size + more), (n + 1) * (size + more)));
        }
      } catch (error) {
        return callback(error as Error);
      }
      parts = [data.subarray(end)];
      length = data.length - end;
      callback(null, out);
    },
    flush(callback) {
      try {
        const out = Buffer.alloc(Math.max(0, length + more));
        next(Buffer.concat(parts), true, out);
        callback(null, out);
      } catch (error) {
        callback(error as Error);
      }
    },
  });
  if (first) stream.push(first);
  return stream;
}
