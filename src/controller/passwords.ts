/**
 * Password storage: scrypt for passwords that people choose, a plain fast hash for random secrets, of agents and of
 * the admin that bootstrap makes (they cannot be guessed, and ten thousand agents log in at once).
 */
import { createHmac, hash, randomBytes, scrypt, timingSafeEqual, type KeyObject } from 'node:crypto';

export interface ScryptCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}
/** Cost that OWASP advises: about 128 MiB and a third of a second of processor time for each check. */
export const advisedCost: ScryptCost = { N: 2 ** 17, r: 8, p: 1 };
const keyLength = 32;

/** Hashes a password as `scrypt$<N>$<r>$<p>$<salt>$<key>`, salt and key in base64. Runs in the thread pool. */
export async function hashPassword(password: string, cost: ScryptCost = advisedCost): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, cost);
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64'), key.toString('base64')].join('$');
}

/**
 * Verifies a password by a hash of hashPassword or hashSecret. Whatever the hash, also when it is malformed, false is
 * returned after the time that a check of `cost` takes, so that the duration does not reveal which users exist.
 */
export async function verifyPassword(
  password: string,
  hash: string,
  cost: ScryptCost = advisedCost,
): Promise<boolean> {
  const [scheme, n, r, p, salt, key] = hash.split('$');
  if (scheme === 'sha512' && verifySecret(password, hash)) return true;
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

/** True when a password's hash has a lower cost than `cost`; false for a malformed hash. */
export function isOutdated(hash: string, cost: ScryptCost = advisedCost): boolean {
  const [scheme, n, r, p] = hash.split('$');
  return scheme === 'scrypt' && (Number(n) < cost.N || Number(r) < cost.r || Number(p) < cost.p);
}

/** Hashes a random secret as `sha512$<base64>`. */
export function hashSecret(secret: string): string {
  return `sha512$${hash('sha512', secret, 'base64')}`;
}

export function verifySecret(secret: string, hash: string): boolean {
  const expected = Buffer.from(hash);
  const actual = Buffer.from(hashSecret(secret));
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

function derive(password: string, salt: Buffer, { N, r, p }: ScryptCost): Promise<Buffer> {
  // Memory limit: the need of these parameters and some room; a hash in the store cannot ask for more than twice what
  // is advised.
  const maxmem = Math.min(128 * N * r * p + (1 << 20), 256 << 20);
  return new Promise((resolve, reject) => {
    scrypt(password, salt, keyLength, { N, r, p, maxmem }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

/**
 * First password of an agent, derived from the nonce, so that a start repeated after a crash gives the agent the same
 * one. `key`: Services.agentKey.
 */
export function agentPassword(key: KeyObject, nonce: string): string {
  return createHmac('sha256', key).update(nonce).digest().subarray(0, 24).toString('base64url');
}
