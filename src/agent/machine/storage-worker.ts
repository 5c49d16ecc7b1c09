/** Storage on this machine: made, mounted, unmounted and destroyed as the mirror says (storage.md#storage-steps). */
import { nextAgentStep, type AgentStep } from '../../core/storage/plan.ts';
import { isoTime } from '../../kit/clock.ts';
import { backoffMs, type Backoff } from '../../kit/retry.ts';
import type { StorageRecord } from '../../wire/agent-records.ts';
import type { MachineWorld } from './world.ts';

/** Where a storage is: the path of its mount, or of the disk's device. */
export interface Mounted {
  readonly path: string;
  /** Name of its block device: `loop0`. */
  readonly device?: string;
}

/** What a machine does for its storage. Every call may be repeated. Errors are shown as the storage's problem. */
export interface StorageHost {
  /** Makes what holds the data. Returns its size in MiB. */
  make(storage: StorageRecord): Promise<number>;
  /** Mounts it for its unit, or shows it the disk. */
  mount(storage: StorageRecord): Promise<Mounted>;
  unmount(storage: StorageRecord): Promise<void>;
  /** Destroys the data. */
  destroy(storage: StorageRecord): Promise<void>;
  /** Ids of the storage that is, or may be, mounted. */
  mounted(): Promise<readonly string[]>;
  /** Unmounts a storage of which nothing but its id is known any more. */
  forget(id: string): Promise<void>;
}

const retryAfter: Backoff = { firstMs: 30_000, maxMs: 300_000, factor: 2, jitter: 0.1 };

export class StorageWorker {
  readonly #world: MachineWorld;
  readonly #host: StorageHost | undefined;
  readonly #failed = new Map<string, { readonly count: number; readonly at: number }>();
  /** Whether mounts are again as they were before this process. */
  #restored = false;
  /** Storage that is no longer where it was, by id, with that path, while the mirror still has it there. */
  readonly #moved = new Map<string, string>();

  constructor(world: MachineWorld, host: StorageHost | undefined) {
    this.#world = world;
    this.#host = host;
  }

  /** True once the storage of earlier hooks is in its place again, or known to be in another, or in none. */
  get settled(): boolean {
    return this.#restored && this.#moved.size === 0;
  }

  /** Runs one pass. Returns the milliseconds until a failed step is tried again. */
  async pass(signal: AbortSignal): Promise<number | undefined> {
    const { mirror, clock } = this.#world;
    if (!mirror.complete) return undefined;
    if (!this.#restored) await this.#restore(signal);
    for (const [id, path] of this.#moved) if (mirror.storage(id)?.mounted !== path) this.#moved.delete(id);
    let next: number | undefined;
    for (const { id } of mirror.storages()) {
      const storage = mirror.storage(id);
      const step = storage && nextAgentStep(storage);
      if (!step) continue;
      const due = (this.#failed.get(id)?.at ?? 0) - clock.now();
      if (due <= 0) await this.#attempt(id, signal, () => this.#do(step, storage, signal));
      const wait = Math.max((this.#failed.get(id)?.at ?? 0) - clock.now(), 0);
      if (wait > 0) next = Math.min(next ?? Infinity, wait);
    }
    return next;
  }

  /** Mounts that a reboot has undone are made again; those that nobody wants any more end. */
  async #restore(signal: AbortSignal): Promise<void> {
    const { mirror } = this.#world;
    const host = this.#host;
    if (host) {
      for (const id of await host.mounted())
        if (!mirror.storage(id)) await this.#attempt(id, signal, () => host.forget(id));
      for (const storage of mirror.storages())
        if (storage.mounted !== undefined && storage.unit !== undefined)
          await this.#attempt(storage.id, signal, () => this.#remount(host, storage, signal));
    }
    this.#restored = true;
  }

  async #remount(host: StorageHost, record: StorageRecord, signal: AbortSignal): Promise<void> {
    const { api } = this.#world;
    const { id: storage, mounted = '' } = record;
    let now: Mounted;
    try {
      now = await host.mount(record);
    } catch (error) {
      signal.throwIfAborted();
      // Its unit waits for it.
      this.#moved.set(storage, mounted);
      await api.call('StorageUnmounted', { storage }, { signal });
      throw error;
    }
    // A device may have another name after a reboot.
    if (now.path !== mounted) this.#moved.set(storage, mounted);
    if (now.path !== mounted || now.device !== record.device)
      await api.call('StorageMounted', { storage, ...now }, { signal });
  }

  async #attempt(id: string, signal: AbortSignal, run: () => Promise<void>): Promise<void> {
    const { api, clock, random, log, mirror } = this.#world;
    try {
      await run();
      this.#failed.delete(id);
    } catch (error) {
      signal.throwIfAborted();
      const count = (this.#failed.get(id)?.count ?? 0) + 1;
      const at = clock.now() + backoffMs(retryAfter, count - 1, random);
      this.#failed.set(id, { count, at });
      const message = error instanceof Error ? error.message : String(error);
      log.warning('storage failed', { storage: id, why: message });
      const retry = { attempt: count, at: isoTime({ now: () => at }) };
      if (mirror.storage(id)) await api.call('StorageFailed', { storage: id, message, retry }, { signal });
    }
  }

  async #do(step: AgentStep, record: StorageRecord, signal: AbortSignal): Promise<void> {
    const { api, log } = this.#world;
    const storage = record.id;
    const host = this.#host;
    if (!host) throw new Error('this machine cannot have storage');
    switch (step) {
      case 'make':
        await api.call('StorageMade', { storage, size: await host.make(record) }, { signal });
        break;
      case 'mount':
        await api.call('StorageMounted', { storage, ...(await host.mount(record)) }, { signal });
        break;
      case 'unmount':
        await host.unmount(record);
        await api.call('StorageUnmounted', { storage }, { signal });
        break;
      case 'destroy':
        await host.destroy(record);
        await api.call('StorageDestroyed', { storage }, { signal });
        break;
    }
    log.info('storage step done', { storage, step });
  }
}
