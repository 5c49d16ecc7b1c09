import { numberSetting } from '../../core/controller/config.ts';
import type { Entities } from '../../core/kinds.ts';
import type { Store } from '../../store/store.ts';

/** Numbers of downloads that may run at a time; 0 = any. */
interface DownloadLimits {
  readonly ofController: number;
  readonly ofApplication: number;
}

/** The limits that the controller's settings make. */
export function downloadLimits(store: Store<Entities>): DownloadLimits {
  const config = store.read().in('').get('controller', 'self')?.config ?? {};
  return {
    ofController: numberSetting(config, 'controller-resource-download-limit'),
    ofApplication: numberSetting(config, 'application-resource-download-limit'),
  };
}

interface Waiter {
  readonly application: string;
  readonly admit: () => void;
}

/** Slots of units' downloads of resources (controller-settings.md#downloads): a download that finds none waits. */
export class DownloadSlots {
  readonly #limits: () => DownloadLimits;
  /** Numbers of running downloads by application; all of them under ''. */
  readonly #running = new Map<string, number>();
  /** Waiting downloads, the longest waiting first. */
  readonly #waiting = new Set<Waiter>();

  constructor(limits: () => DownloadLimits) {
    this.#limits = limits;
  }

  /** Takes a slot; resolves with what gives it back. `application`: any text naming it. Errors: the signal's reason. */
  async take(application: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(waiter);
        reject(signal.reason as Error);
      };
      const waiter: Waiter = {
        application,
        admit: () => {
          this.#waiting.delete(waiter);
          signal.removeEventListener('abort', leave);
          this.#add(1, application);
          resolve();
        },
      };
      this.#waiting.add(waiter);
      signal.addEventListener('abort', leave);
      this.#admit();
    });
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#add(-1, application);
      this.#admit();
    };
  }

  #admit(): void {
    const { ofController, ofApplication } = this.#limits();
    for (const { application, admit } of this.#waiting) {
      if (ofController > 0 && this.#count('') >= ofController) return;
      if (ofApplication === 0 || this.#count(application) < ofApplication) admit();
    }
  }

  #count(application: string): number {
    return this.#running.get(application) ?? 0;
  }

  #add(change: 1 | -1, application: string): void {
    for (const key of ['', application]) {
      const count = this.#count(key) + change;
      if (count === 0) this.#running.delete(key);
      else this.#running.set(key, count);
    }
  }
}
