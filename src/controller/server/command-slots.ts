import { limits } from '../../core/limits.ts';

interface Waiting {
  readonly user: string;
  readonly start: () => void;
}

/** Places for commands that run at a time: few in all, and fewer of each user. The first to come is served first. */
export class CommandSlots {
  readonly #running = new Map<string, number>();
  readonly #waiting: Waiting[] = [];
  #count = 0;

  /** Runs `fn` when there is a place for the user. Errors: the reason of `signal`, while it waits; those of `fn`. */
  async run<T>(user: string, signal: AbortSignal, fn: () => Promise<T>): Promise<T> {
    await this.#place(user, signal);
    try {
      return await fn();
    } finally {
      this.#leave(user);
    }
  }

  #place(user: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal.reason as Error);
      };
      const start = (): void => {
        signal.removeEventListener('abort', onAbort);
        this.#count++;
        this.#running.set(user, this.#of(user) + 1);
        resolve();
      };
      const waiting = { user, start };
      if (signal.aborted) reject(signal.reason as Error);
      else {
        signal.addEventListener('abort', onAbort);
        this.#waiting.push(waiting);
        this.#startNext();
      }
    });
  }

  #leave(user: string): void {
    this.#count--;
    const others = this.#of(user) - 1;
    if (others > 0) this.#running.set(user, others);
    else this.#running.delete(user);
    this.#startNext();
  }

  #startNext(): void {
    if (this.#count >= limits.commands.max) return;
    const index = this.#waiting.findIndex(({ user }) => this.#of(user) < limits.commandsOfUser.max);
    if (index >= 0) this.#waiting.splice(index, 1)[0]!.start();
  }

  #of(user: string): number {
    return this.#running.get(user) ?? 0;
  }
}
