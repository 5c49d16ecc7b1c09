import { JujuError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';

/**
 * Connections of other controllers, which log in without any credentials: their number is limited, also by address, so
 * that they leave room for users and agents.
 */
export class AnonymousConnections {
  readonly #ofAddress = new Map<string, number>();
  #count = 0;

  /** Adds a connection; returns what ends that. Errors: `try again` when there are too many. */
  enter(address: string): () => void {
    const count = this.#ofAddress.get(address) ?? 0;
    const { anonymousConnections, anonymousConnectionsOfAddress } = limits;
    if (this.#count >= anonymousConnections.max || count >= anonymousConnectionsOfAddress.max)
      throw new JujuError('try again', 'too many connections of other controllers');
    this.#count++;
    this.#ofAddress.set(address, count + 1);
    return () => {
      this.#count--;
      const remaining = this.#ofAddress.get(address)! - 1;
      if (remaining > 0) this.#ofAddress.set(address, remaining);
      else this.#ofAddress.delete(address);
    };
  }
}
