/** Encryption of secrets in the store's documents and their history, with a key derived from the controller's. */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';

export interface Sealer {
  /** Encrypts a secret; the result is different each time. */
  seal(secret: string): string;
  /**
   * Decrypts a sealed text; a text that is not sealed is returned unchanged. Errors: a plain Error when it was sealed
   * with another key or changed.
   */
  open(sealed: string): string;
  /** Mark of a text, 32 hex digits: equal texts have equal marks, which tell nothing of the text without the key. */
  mark(text: string): string;
}

const prefix = 'sealed:1:';
const cipher = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;
/** Number of initialization vectors that are drawn at once: one alone takes four times as long as the encryption. */
const ivsAtOnce = 256;

/** Whether the text is a sealed secret. */
export function isSealed(text: string): boolean {
  return text.startsWith(prefix);
}

/** Creates a sealer. `key`: the controller's, from which the sealer's own is derived. */
export function createSealer(key: KeyObject, random: (n: number) => Uint8Array = randomBytes): Sealer {
  // A KeyObject takes a third of the time of bytes, which each use would make into a KeyObject.
  const sealingKey = createSecretKey(new Uint8Array(hkdfSync('sha256', key, '', 'grigri secrets', 32)));
  const markingKey = new Uint8Array(hkdfSync('sha256', key, '', 'grigri marks', 32));
  let ivs: Uint8Array = new Uint8Array();
  const nextIv = (): Uint8Array => {
    if (ivs.length === 0) ivs = random(ivBytes * ivsAtOnce);
    const iv = ivs.subarray(0, ivBytes);
    ivs = ivs.subarray(ivBytes);
    return iv;
  };
  return {
    mark: (text) => createHmac('sha256', markingKey).update(text).digest('hex').slice(0, 32),
    seal(secret) {
      const iv = nextIv();
      const sealing = createCipheriv(cipher, sealingKey, iv, { authTagLength: tagBytes });
      const body = Buffer.concat([sealing.update(secret, 'utf8'), sealing.final()]);
      return prefix + Buffer.concat([iv, body, sealing.getAuthTag()]).toString('base64');
    },
    open(sealed) {
      if (!isSealed(sealed)) return sealed;
      const bytes = Buffer.from(sealed.slice(prefix.length), 'base64');
      const opening = createDecipheriv(cipher, sealingKey, bytes.subarray(0, ivBytes), {
        authTagLength: tagBytes,
      });
      opening.setAuthTag(bytes.subarray(-tagBytes));
      const body = opening.update(bytes.subarray(ivBytes, -tagBytes));
      return Buffer.concat([body, opening.final()]).toString('utf8');
    },
  };
}
