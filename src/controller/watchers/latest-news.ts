import type { Clock } from '../../kit/clock.ts';
import { NewsWatcher } from './news-watcher.ts';

/** Minimum interval of two looks: the value may be computed from all units. */
const intervalMs = 2_000;

interface Watched<T> {
  readonly clock: Clock;
  read(): T | Promise<T>;
  /** Calls back when the value may have changed. Returns a function that ends that. */
  subscribe(changed: () => void): () => void;
}

/** Watcher of a value that is read anew after changes: it tells the value at first, and then whenever it differs. */
export abstract class LatestNews<T> extends NewsWatcher<T> {
  readonly #watched: Watched<T>;
  readonly #stopping = new AbortController();
  #isStale = true;
  #isWaiting = false;
  #nextLook = 0;
  #told = '';

  constructor(watched: Watched<T>) {
    super();
    this.#watched = watched;
    this.endAtStop(
      watched.subscribe(() => {
        this.#isStale = true;
        this.wake();
      }),
      () => this.#stopping.abort(),
    );
  }

  protected async takeNews(): Promise<T | undefined> {
    if (!this.#isStale) return undefined;
    const { clock } = this.#watched;
    const now = clock.now();
    if (now < this.#nextLook) {
      this.#wakeAfter(this.#nextLook - now);
      return undefined;
    }
    this.#nextLook = now + intervalMs;
    this.#isStale = false;
    const value = await this.#watched.read();
    const text = JSON.stringify(value);
    if (text === this.#told) return undefined;
    this.#told = text;
    return value;
  }

  #wakeAfter(ms: number): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    const over = (): void => {
      this.#isWaiting = false;
      this.wake();
    };
    void this.#watched.clock.sleep(ms, this.#stopping.signal).then(over, () => undefined);
  }
}
