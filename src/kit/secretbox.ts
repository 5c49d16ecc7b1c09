/** NaCl's secretbox, XSalsa20-Poly1305: 16 bytes of tag, then the cipher text. */
import { randomBytes } from 'node:crypto';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';

export const secretboxKeyBytes = 32;
export const secretboxNonceBytes = 24;

/** Returns that many random bytes. */
export type RandomBytes = (n: number) => Uint8Array;

/** Encrypts under a fresh nonce. `key`: secretboxKeyBytes. */
export function sealBytes(
  key: Uint8Array,
  content: Uint8Array,
  random: RandomBytes = randomBytes,
): { nonce: Buffer; box: Buffer } {
  const nonce = Buffer.from(random(secretboxNonceBytes));
  return { nonce, box: Buffer.from(xsalsa20poly1305(key, nonce).encrypt(content)) };
}

/** Decrypts; undefined when the box was made with another key or nonce, or changed. `nonce`: secretboxNonceBytes. */
export function openBytes(key: Uint8Array, nonce: Uint8Array, box: Uint8Array): Buffer | undefined {
  try {
    return Buffer.from(xsalsa20poly1305(key, nonce).decrypt(box));
  } catch {
    // The library says no more than that it does not open.
    return undefined;
  }
}

/** Encrypts a text, as sealBytes. */
export function sealBox(key: Uint8Array, text: string): { nonce: Buffer; box: Buffer } {
  return sealBytes(key, Buffer.from(text));
}

/** Decrypts a text, as openBytes. */
export function openBox(key: Uint8Array, nonce: Uint8Array, box: Uint8Array): string | undefined {
  return openBytes(key, nonce, box)?.toString();
}
