/**
 * For whom a stream is sealed: the holder of an X25519 key, as openssl makes them, or who knows a passphrase. A
 * passphrase becomes a key pair whose private half is wrapped by it, so that who seals never learns the passphrase.
 */
import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  scrypt,
  type KeyObject,
} from 'node:crypto';

/** Public half, and the private one where a passphrase opens it; in base64. */
export interface Recipient {
  /** Raw public key, 32 bytes. */
  readonly publicKey: string;
  readonly wrapped?: Wrapped;
}

/** Raw private key under AES-256-GCM with a key that scrypt derives from the passphrase. */
interface Wrapped {
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly salt: string;
  /** Cipher text with its tag. */
  readonly box: string;
}

/** What opens a sealed stream. */
export type Opener = { readonly passphrase: string } | { readonly privateKey: string };

const cost = { N: 2 ** 17, r: 8, p: 1 };
/** Highest cost that is accepted of a file: half a gibibyte of memory. */
const costMax = { N: 2 ** 19, r: 8, p: 4 };
const wrapNonce = Buffer.alloc(12);

/** Reads a public key in PEM, or takes that of a private one. Errors: plain Error. */
export function recipientOfKey(pem: string): Recipient {
  const key = parsed(() => createPublicKey(pem), 'public');
  return { publicKey: rawPublic(key).toString('base64') };
}

/** Makes a recipient whom the passphrase opens. */
export async function recipientOfPassphrase(passphrase: string, by = cost): Promise<Recipient> {
  const { publicKey, privateKey } = generateKeyPairSync('x25519');
  const salt = randomBytes(16);
  // The key is used once, so its nonce may be constant.
  const cipher = createCipheriv('aes-256-gcm', await derive(passphrase, salt, by), wrapNonce);
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' });
  const box = Buffer.concat([cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
  return {
    publicKey: rawPublic(publicKey).toString('base64'),
    wrapped: { ...by, salt: salt.toString('base64'), box: box.toString('base64') },
  };
}

/** Returns the private key. Errors: plain Error when it is another's, or the passphrase is wrong. */
export async function privateKeyOf(recipient: Recipient, opener: Opener): Promise<KeyObject> {
  const key =
    'privateKey' in opener
      ? parsed(() => createPrivateKey(opener.privateKey), 'private')
      : await unwrap(recipient, opener.passphrase);
  if (rawPublic(createPublicKey(key)).toString('base64') !== recipient.publicKey)
    throw new Error('it is sealed for another key');
  return key;
}

async function unwrap({ wrapped }: Recipient, passphrase: string): Promise<KeyObject> {
  if (!wrapped) throw new Error('it is sealed for a key, not with a passphrase');
  const { N, r, p } = wrapped;
  if (
    ![N, r, p].every((n) => Number.isInteger(n) && n > 0) ||
    N > costMax.N ||
    r > costMax.r ||
    p > costMax.p
  )
    throw new Error('its passphrase asks for more work than is accepted');
  const box = Buffer.from(wrapped.box, 'base64');
  const key = await derive(passphrase, Buffer.from(wrapped.salt, 'base64'), { N, r, p });
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, wrapNonce);
    decipher.setAuthTag(box.subarray(-16));
    const secret = Buffer.concat([decipher.update(box.subarray(0, -16)), decipher.final()]);
    return createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' });
  } catch (cause) {
    throw new Error('the passphrase is wrong', { cause });
  }
}

function derive(passphrase: string, salt: Buffer, { N, r, p }: typeof cost): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    scrypt(passphrase.normalize('NFC'), salt, 32, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
      error ? reject(error) : resolve(key),
    ),
  );
}

function parsed(parse: () => KeyObject, which: string): KeyObject {
  let key: KeyObject;
  try {
    key = parse();
  } catch (cause) {
    throw new Error(`expected an X25519 ${which} key in PEM`, { cause });
  }
  if (key.asymmetricKeyType !== 'x25519') throw new Error(`expected an X25519 ${which} key in PEM`);
  return key;
}

/** The public key without the frame of its DER form. */
export function rawPublic(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' }).subarray(-32);
}

/** Frame of the DER form of a public key. */
const spki = Buffer.from('302a300506032b656e032100', 'hex');

/** Errors: plain Error for anything but 32 bytes in base64. */
export function publicKeyOf(text: string): KeyObject {
  const raw = Buffer.from(text, 'base64');
  if (raw.length !== 32) throw new Error('expected an X25519 public key');
  return createPublicKey({ key: Buffer.concat([spki, raw]), format: 'der', type: 'spki' });
}
