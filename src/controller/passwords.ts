/**
 * How passwords are kept: scrypt for what people choose, a plain fast hash for agents' random secrets (they cannot
 * be guessed, and ten thousand agents log in at once).
 */
import { createHmac, hash, randomBytes, scrypt, timingSafeEqual, type KeyObject } from 'node:crypto';

/** N = 2^14, r = 8: about 16 MiB and 40 ms for each check. */
const cost = { N: 16_384, r: 8, p: 1 } as const;
const keyLength = 32;

/** `scrypt$<N>$<r>$<p>$<salt>$<key>`, salt and key in base64. Runs in the thread pool. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, cost);
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64'), key.toString('base64')].join('$');
}

/** False for a hash that is not hashPassword's; takes as long then, so that nobody learns which users exist. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const [scheme, n, r, p, salt, key] = hash.split('$');
  if (scheme !== 'scrypt' || key === undefined) {
    await derive(password, Buffer.alloc(16), cost);
    return false;
  }
  const expected = Buffer.from(key, 'base64');
  const actual = await derive(password, Buffer.from(salt!, 'base64'), {
    N: Number(n),
    r: Number(r),
    p: Number(p),
  });
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** `sha512$<base64>` */
export function hashSecret(secret: string): string {
  return `sha512$${hash('sha512', secret, 'base64')}`;
}

export function verifySecret(secret: string, hash: string): boolean {
  const expected = Buffer.from(hash);
  const actual = Buffer.from(hashSecret(secret));
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

function derive(
  password: string,
  salt: Buffer,
  { N, r, p }: { N: number; r: number; p: number },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, keyLength, { N, r, p, maxmem: 64 * 1024 * 1024 }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

/**
 * Made from the nonce, so that a start repeated after a crash gives the agent the same one. `key`: Services.agentKey.
 */
export function agentPassword(key: KeyObject, nonce: string): string {
  return createHmac('sha256', key).update(nonce).digest().subarray(0, 24).toString('base64url');
}
