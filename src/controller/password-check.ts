import { createHmac, randomBytes } from 'node:crypto';
import { FairQueue } from '../kit/fair-queue.ts';
import { advisedCost, hashPassword, isOutdated, verifyPassword, type ScryptCost } from './passwords.ts';

/** Check of users' passwords. */
export interface PasswordCheck {
  /** True when this password matched the hash before. The check is almost free, and only right passwords pass. */
  remembers(password: string, hash: string): boolean;
  /** Verifies a password; false for a wrong one, and for a malformed hash. Slow on purpose; runs in the thread pool. */
  verify(password: string, hash: string): Promise<boolean>;
  /** Hashes a new password: one at a time, as each takes a third of a second of a thread, and owners in turn. */
  hash(password: string, owner: string): Promise<string>;
  /** Returns another hash of the same password when this one has a lower cost than is advised today. */
  renewed(password: string, hash: string): Promise<string | undefined>;
}

/** Maximum number of remembered passwords: more than the number of people who work at a time. */
const rememberedMax = 10_000;

/**
 * Creates a password check that remembers right passwords. Each command of a client logs in: a password that was right
 * once is recognised by a keyed hash, whose key only this process has, so that only guesses pay the cost of scrypt.
 */
export function createPasswordCheck(cost: ScryptCost = advisedCost): PasswordCheck {
  const key = randomBytes(32);
  const remembered = new Set<string>();
  const digest = (password: string, hash: string): string =>
    createHmac('sha256', key).update(hash).update('\0').update(password).digest('base64');
  const hashing = new FairQueue();
  return {
    hash: (password, owner) => hashing.run(owner, () => hashPassword(password, cost)),
    remembers: (password, hash) => remembered.size > 0 && remembered.has(digest(password, hash)),
    async verify(password, hash) {
      const isRight = await verifyPassword(password, hash, cost);
      if (!isRight) return false;
      if (remembered.size >= rememberedMax) remembered.clear();
      remembered.add(digest(password, hash));
      return true;
    },
    renewed: async (password, hash) => (isOutdated(hash, cost) ? hashPassword(password, cost) : undefined),
  };
}
