import { JujuError } from '../../core/errors.ts';
import type { Watcher } from '../facade.ts';

/** Watcher that keeps what has changed until somebody asks for it. */
export abstract class NewsWatcher<T> implements Watcher {
  readonly #subscriptions: (() => void)[] = [];
  #waiting: (() => void)[] = [];
  #wakeCount = 0;
  #stopped = false;

  /** Takes the news; undefined when there are none. Called again after each `wake`. */
  protected abstract takeNews(): T | undefined | Promise<T | undefined>;

  /** Waits for news. Errors: `stopped`; those of takeNews. */
  async next(): Promise<T> {
    for (;;) {
      const wakeCount = this.#wakeCount;
      this.#checkRunning();
      const news = await this.takeNews();
      this.#checkRunning();
      if (news !== undefined) return news;
      // Changes that came while takeNews ran are looked at before the wait.
      if (wakeCount === this.#wakeCount) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  stop(): void {
    this.#stopped = true;
    for (const end of this.#subscriptions.splice(0)) end();
    this.wake();
  }

  /** Makes a waiting call of next look for news again. */
  protected wake(): void {
    this.#wakeCount++;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Ends subscriptions when the watcher stops. */
  protected endAtStop(...subscriptions: (() => void)[]): void {
    this.#subscriptions.push(...subscriptions);
  }

  #checkRunning(): void {
    if (this.#stopped) throw new JujuError('stopped', 'watcher has been stopped');
  }
}
