import { JujuError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';

/** Shares of the queue: addresses from which the user has logged in before; users who exist; names that do not. */
export const shares = ['proven', 'known', 'unknown'] as const;
export type Share = (typeof shares)[number];

interface Waiting {
  start(): void;
  drop(error: JujuError): void;
}

class Lane {
  size = 0;
  /** Waiting logins by address, in the order of the addresses' turns. */
  readonly #ofAddress = new Map<string, Waiting[]>();

  /** Adds a login. Errors: `try again` where no other address has more that wait. */
  add(address: string, waiting: Waiting): void {
    const queue = this.#ofAddress.get(address) ?? [];
    if (queue.length >= limits.waitingLoginsOfAddress.max) throw busy();
    if (this.size >= limits.waitingLogins.max) this.#dropOne(queue.length);
    queue.push(waiting);
    this.#ofAddress.set(address, queue);
    this.size++;
  }

  take(): Waiting | undefined {
    const [entry] = this.#ofAddress;
    if (!entry) return undefined;
    const [address, queue] = entry;
    const first = queue.shift()!;
    this.size--;
    this.#ofAddress.delete(address);
    if (queue.length > 0) this.#ofAddress.set(address, queue);
    return first;
  }

  /** Drops the last login of the address with the most. */
  #dropOne(queueLength: number): void {
    let longest: Waiting[] = [];
    for (const queue of this.#ofAddress.values()) if (queue.length > longest.length) longest = queue;
    if (longest.length <= queueLength + 1) throw busy();
    longest.pop()!.drop(busy());
    this.size--;
  }
}

/** Queue that lets logins in by turns: the shares one after the other, and in each of them the addresses. */
export class LoginQueue {
  readonly #concurrentMax: number;
  readonly #lanes: Readonly<Record<Share, Lane>> = {
    proven: new Lane(),
    known: new Lane(),
    unknown: new Lane(),
  };
  #running = 0;
  #turn = 0;

  constructor(concurrentMax: number) {
    this.#concurrentMax = concurrentMax;
  }

  /** Runs `work` in its turn. Errors: those of `work`; `try again` when too many wait. */
  async run<T>(from: { share: Share; address: string }, work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#concurrentMax) this.#running++;
    else await new Promise<void>((start, drop) => this.#lanes[from.share].add(from.address, { start, drop }));
    try {
      return await work();
    } finally {
      const next = this.#next();
      if (next) next.start();
      else this.#running--;
    }
  }

  #next(): Waiting | undefined {
    for (let tried = 0; tried < shares.length; tried++) {
      const next = this.#lanes[shares[this.#turn++ % shares.length]!].take();
      if (next) return next;
    }
    return undefined;
  }
}

export function busy(): JujuError {
  return new JujuError('try again', 'too many logins at a time, try again');
}
