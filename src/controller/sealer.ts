/** Keeps secrets out of the store's documents and their history: what is in them is sealed with the controller's key. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, type KeyObject } from 'node:crypto';

export interface Sealer {
  /** A text that says nothing of the secret; another one each time. */
  seal(secret: string): string;
  /** Errors: a plain Error when it was sealed by another key or changed. A text that is not sealed is returned as it is. */
  open(sealed: string): string;
}

const prefix = 'sealed:1:';
const cipher = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** `key`: the controller's, of which the sealer's own is derived. */
export function createSealer(key: KeyObject, random: (n: number) => Uint8Array = randomBytes): Sealer {
  const own = new Uint8Array(hkdfSync('sha256', key, '', 'grigri secrets', 32));
  return {
    seal(secret) {
      const iv = random(ivBytes);
      const sealing = createCipheriv(cipher, own, iv, { authTagLength: tagBytes });
      const body = Buffer.concat([sealing.update(secret, 'utf8'), sealing.final()]);
      return prefix + Buffer.concat([iv, body, sealing.getAuthTag()]).toString('base64');
    },
    open(sealed) {
      if (!sealed.startsWith(prefix)) return sealed;
      const bytes = Buffer.from(sealed.slice(prefix.length), 'base64');
      const opening = createDecipheriv(cipher, own, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
      opening.setAuthTag(bytes.subarray(-tagBytes));
      const body = opening.update(bytes.subarray(ivBytes, -tagBytes));
      return Buffer.concat([body, opening.final()]).toString('utf8');
    },
  };
}
