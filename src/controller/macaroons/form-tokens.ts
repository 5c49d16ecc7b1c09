import { randomBytes } from 'node:crypto';
import { limits } from '../../core/limits.ts';
import type { Clock } from '../../kit/clock.ts';

/** Time between the password and the discharge that it is for: clients take a moment. */
const validMs = 300_000;

interface Entry {
  readonly user: string;
  readonly issuedAt: number;
}

/** Tokens for right passwords: each counts once, for one discharge. They are lost with the process. */
export class FormTokens {
  readonly #clock: Pick<Clock, 'now'>;
  /** Entries by token, the oldest first. */
  readonly #tokens = new Map<string, Entry>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Issues a token, 24 hex digits. The oldest token is dropped when there are too many. `user`: id. */
  issue(user: string): string {
    const now = this.#clock.now();
    for (const [token, { issuedAt }] of this.#tokens) {
      if (now - issuedAt < validMs && this.#tokens.size < limits.formTokens.max) break;
      this.#tokens.delete(token);
    }
    const token = randomBytes(12).toString('hex');
    this.#tokens.set(token, { user, issuedAt: now });
    return token;
  }

  /** Takes a token, which is invalid from then on, whatever it is used for; undefined when it is invalid already. */
  take(token: string): Entry | undefined {
    const entry = this.#tokens.get(token);
    this.#tokens.delete(token);
    return entry && this.#clock.now() - entry.issuedAt < validMs ? entry : undefined;
  }
}
