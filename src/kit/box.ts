/** NaCl's box: X25519 agrees on a key, HSalsa20 mixes it, and secretbox seals with it. */
import { createPrivateKey, createPublicKey, diffieHellman, type KeyObject } from 'node:crypto';
import { hsalsa } from '@noble/ciphers/salsa.js';

/** A key pair of X25519. */
export interface BoxKeys {
  /** 32 bytes. */
  readonly publicKey: Buffer;
  readonly privateKey: KeyObject;
}

export const boxKeyBytes = 32;

/** Prefix of the 32 bytes of a private key in PKCS #8 (RFC 8410 §7). */
const pkcs8Prefix = Buffer.from('302e020100300506032b656e04220420', 'hex');

/** The key pair of a private key. `secret`: boxKeyBytes. */
export function boxKeys(secret: Uint8Array): BoxKeys {
  const privateKey = createPrivateKey({
    key: Buffer.concat([pkcs8Prefix, secret]),
    format: 'der',
    type: 'pkcs8',
  });
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  return { publicKey: Buffer.from(x!, 'base64url'), privateKey };
}

/**
 * The key of secretbox that two parties share, by the private key of one and the public key of the other; undefined for
 * a public key with which everybody knows the shared key.
 */
export function sharedKey({ privateKey }: BoxKeys, publicKey: Uint8Array): Buffer | undefined {
  const x = Buffer.from(publicKey).toString('base64url');
  let agreed: Buffer;
  try {
    const other = createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' });
    agreed = diffieHellman({ privateKey, publicKey: other });
  } catch {
    return undefined;
  }
  const out = new Uint32Array(8);
  hsalsa(words(Buffer.from('expand 32-byte k')), words(agreed), new Uint32Array(4), out);
  const key = Buffer.alloc(boxKeyBytes);
  out.forEach((word, i) => key.writeUInt32LE(word, i * 4));
  return key;
}

function words(bytes: Buffer): Uint32Array {
  return Uint32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readUInt32LE(i * 4));
}
