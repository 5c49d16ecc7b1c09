/** Entity of another controller that is read once and then followed by its watchers. */
import type { Clock } from '../../kit/clock.ts';
import type { Peer } from './peer.ts';

/** A watcher at the other controller. `apply` takes over an answer of its Next, and returns the names that changed. */
export interface Following {
  readonly facade: string;
  readonly id: string;
  readonly apply: (answer: unknown) => Iterable<string>;
}

export interface Opened<T> {
  readonly state: T;
  readonly following: readonly Following[];
}

interface Needs<T> {
  readonly peer: Peer;
  readonly clock: Clock;
  /** Reads the entity, and starts its watchers; undefined when it is gone there. */
  readonly open: () => Promise<Opened<T> | undefined>;
  /** Names of all that may have changed while nobody followed the entity. */
  readonly names: (state: T) => Iterable<string>;
}

/** Delay after a watcher failed, so that one that always fails is not asked for all the time. */
const retryMs = 5_000;

export class Watched<T> {
  readonly #needs: Needs<T>;
  readonly #listeners = new Set<(name: string) => void>();
  readonly #ended = new AbortController();
  #opened: Promise<Opened<T> | undefined> | undefined;
  #wasOpen = false;

  constructor(needs: Needs<T>) {
    this.#needs = needs;
  }

  /**
   * Current state of the watched entity; undefined when it is gone from the other controller. Errors: those of calls.
   */
  async state(): Promise<T | undefined> {
    const opening = (this.#opened ??= this.#open());
    try {
      const opened = await opening;
      if (!opened) this.#forget(opening);
      return opened?.state;
    } catch (error) {
      this.#forget(opening);
      throw error;
    }
  }

  /** Calls back with the name of what changed, '' = the entity itself. Returns a function that ends that. */
  listen(changed: (name: string) => void): () => void {
    this.#listeners.add(changed);
    return () => {
      this.#listeners.delete(changed);
    };
  }

  get isHeard(): boolean {
    return this.#listeners.size > 0;
  }

  /** Forgets the state, so that it is read anew when it is needed next, as after the loss of the connection. */
  reset(): void {
    this.#opened = undefined;
    this.#notify(['']);
  }

  stop(): void {
    this.#ended.abort(new Error('nobody follows it any more'));
    const opening = this.#opened;
    this.#opened = undefined;
    void opening?.then(
      (opened) => stopAll(this.#needs.peer, opened?.following ?? []),
      () => undefined,
    );
  }

  async #open(): Promise<Opened<T> | undefined> {
    const opened = await this.#needs.open();
    if (!opened) return undefined;
    for (const one of opened.following) void this.#follow(opened, one);
    if (this.#wasOpen) this.#notify(this.#needs.names(opened.state));
    this.#wasOpen = true;
    return opened;
  }

  async #follow(opened: Opened<T>, { facade, id, apply }: Following): Promise<void> {
    const { peer, clock } = this.#needs;
    try {
      for (;;) {
        const answer = await peer.call(facade, 'Next', {}, { id, patient: true });
        if ((await this.#opened) !== opened) return;
        this.#notify(apply(answer));
      }
    } catch {
      // Whatever the failure, the state is read anew, which shows its cause.
      if ((await this.#opened?.catch(() => undefined)) !== opened) return;
      this.#opened = undefined;
      await stopAll(peer, opened.following);
      await clock.sleep(retryMs, this.#ended.signal).catch(() => undefined);
      if (!this.#ended.signal.aborted) this.#notify(['']);
    }
  }

  #forget(opening: Promise<unknown>): void {
    if (this.#opened === opening) this.#opened = undefined;
  }

  #notify(names: Iterable<string>): void {
    for (const name of names) for (const changed of this.#listeners) changed(name);
  }
}

/** Stops watchers there; a watcher that is gone already is no error. */
export async function stopAll(peer: Peer, watchers: readonly Following[]): Promise<void> {
  for (const { facade, id } of watchers) await peer.call(facade, 'Stop', {}, { id }).catch(() => undefined);
}
