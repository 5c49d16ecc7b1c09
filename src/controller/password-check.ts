import { createHmac, randomBytes } from 'node:crypto';
import { advisedCost, hashPassword, isOutdated, verifyPassword, type ScryptCost } from './passwords.ts';

/** How users' passwords are checked. */
export interface PasswordCheck {
  /** Whether this very password was right for the hash before: costs next to nothing, and only what is right passes. */
  remembers(password: string, hash: string): boolean;
  /** False for a wrong one, and for a hash that is none. Slow on purpose; in the thread pool. */
  verify(password: string, hash: string): Promise<boolean>;
  /** Another hash of the same password, when this one was made more cheaply than is advised today. */
  renewed(password: string, hash: string): Promise<string | undefined>;
}

/** Passwords that are remembered: more than there are people who work at a time. */
const rememberedMax = 10_000;

/**
 * Each command of a client logs in: what was right once is known again by a keyed hash, whose key nobody but this
 * process has, so that only guesses pay the price that keeps from guessing.
 */
export function createPasswordCheck(cost: ScryptCost = advisedCost): PasswordCheck {
  const key = randomBytes(32);
  const right = new Set<string>();
  const digest = (password: string, hash: string): string =>
    createHmac('sha256', key).update(hash).update('\0').update(password).digest('base64');
  return {
    remembers: (password, hash) => right.size > 0 && right.has(digest(password, hash)),
    async verify(password, hash) {
      const isRight = await verifyPassword(password, hash, cost);
      if (!isRight) return false;
      if (right.size >= rememberedMax) right.clear();
      right.add(digest(password, hash));
      return true;
    },
    renewed: async (password, hash) => (isOutdated(hash, cost) ? hashPassword(password, cost) : undefined),
  };
}
