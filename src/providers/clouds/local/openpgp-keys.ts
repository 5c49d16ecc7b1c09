/** Selection of public keys from an OpenPGP keyring by their fingerprints, without any program of the host. */
import { createHash } from 'node:crypto';

interface Packet {
  readonly tag: number;
  readonly body: Buffer;
  /** Bytes of the packet with its header. */
  readonly whole: Buffer;
}

const publicKey = 6;

/**
 * Returns the keys of a binary keyring that have one of the fingerprints (of version 4, upper-case hex), with the
 * packets that belong to them. Errors: RangeError for bytes that are no keyring.
 */
export function selectKeys(keyring: Buffer, fingerprints: readonly string[]): Buffer {
  const kept: Buffer[] = [];
  let isWanted = false;
  for (const { tag, body, whole } of packetsOf(keyring)) {
    if (tag === publicKey) isWanted = body[0] === 4 && fingerprints.includes(fingerprint(body));
    if (isWanted) kept.push(whole);
  }
  return Buffer.concat(kept);
}

function fingerprint(body: Buffer): string {
  const head = Buffer.from([0x99, body.length >> 8, body.length & 0xff]);
  return createHash('sha1').update(head).update(body).digest('hex').toUpperCase();
}

function* packetsOf(bytes: Buffer): Generator<Packet> {
  for (let at = 0; at < bytes.length;) {
    const first = bytes.readUInt8(at);
    if ((first & 0x80) === 0) throw new RangeError('not an OpenPGP keyring');
    const isNew = (first & 0x40) !== 0;
    const { size, length } = isNew ? newLength(bytes, at + 1) : oldLength(bytes, at + 1, first & 3);
    const from = at + 1 + size;
    if (from + length > bytes.length) throw new RangeError('the OpenPGP keyring is truncated');
    yield {
      tag: isNew ? first & 0x3f : (first >> 2) & 0x0f,
      body: bytes.subarray(from, from + length),
      whole: bytes.subarray(at, from + length),
    };
    at = from + length;
  }
}

interface Length {
  /** Number of bytes that the length itself takes. */
  readonly size: number;
  readonly length: number;
}

function oldLength(bytes: Buffer, at: number, type: number): Length {
  if (type === 3) throw new RangeError('an OpenPGP packet of unknown length');
  const size = 1 << type;
  return { size, length: bytes.readUIntBE(at, size) };
}

function newLength(bytes: Buffer, at: number): Length {
  const first = bytes.readUInt8(at);
  if (first < 192) return { size: 1, length: first };
  if (first < 224) return { size: 2, length: ((first - 192) << 8) + bytes.readUInt8(at + 1) + 192 };
  if (first < 255) throw new RangeError('an OpenPGP packet in parts');
  return { size: 5, length: bytes.readUInt32BE(at + 1) };
}
