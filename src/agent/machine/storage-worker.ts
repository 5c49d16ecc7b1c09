/** Storage on this machine: made, mounted, unmounted and destroyed as the mirror says (storage.md#storage-steps). */
import { nextAgentStep, type AgentStep } from '../../core/storage/plan.ts';
import { isoTime } from '../../kit/clock.ts';
import { RetryTimes } from '../../kit/retry-times.ts';
import type { Backoff } from '../../kit/retry.ts';
import type { StorageRecord } from '../../wire/agent-records.ts';
import type { MachineWorld } from './world.ts';
import { anyOf } from '../../kit/on-abort.ts';

/** Place of a storage: the path of its mount, or of the disk's device. */
export interface Mounted {
  readonly path: string;
  /** Name of the storage's block device: `loop0`. */
  readonly device?: string;
}

/** Acts of a machine for its storage. Every call may be repeated. Errors are shown as the storage's problem. */
export interface StorageHost {
  /** Makes what holds the data. Returns its size in MiB. */
  make(storage: StorageRecord): Promise<number>;
  /** Mounts a storage for its unit, or shows it the disk. */
  mount(storage: StorageRecord): Promise<Mounted>;
  unmount(storage: StorageRecord): Promise<void>;
  /** Destroys the data. */
  destroy(storage: StorageRecord): Promise<void>;
  /** Ids of the storage that is, or may be, mounted. */
  mounted(): Promise<readonly string[]>;
  /** Unmounts a storage of which only the id is still known. */
  forget(id: string): Promise<void>;
}

const retryAfter: Backoff = { firstMs: 30_000, maxMs: 300_000, factor: 2, jitter: 0.1 };

/** Number of storages whose steps are under way at once. */
const stepsAtOnce = 8;
/** Time in milliseconds after which a step that has not ended is reported. */
const slowMs = 60_000;
/** Time for which the end of the agent waits for steps, in milliseconds. */
const endMs = 10_000;

/** `restore`: makes a mount again, or ends it, as it was before this process. */
type Step = AgentStep | 'restore';

/**
 * Steps run beside the passes, one at a time per storage, so that a step that takes long, or hangs, delays no other
 * storage.
 */
export class StorageWorker {
  readonly #world: MachineWorld;
  readonly #host: StorageHost | undefined;
  readonly #onChange: () => void;
  /** Storage that is still to be restored; absent before the first pass. */
  #toRestore: Set<string> | undefined;
  /** The last restore of the model, by its id, when `#toRestore` was listed. */
  #listedAfter: string | undefined;
  /** Steps under way by storage. */
  readonly #busy = new Map<string, Promise<void>>();
  /** Storage whose step takes so long that the controller was told. */
  readonly #slow = new Set<string>();
  /** Records for which a step was done and reported, until the mirror shows what came of it. */
  readonly #done = new Map<string, StorageRecord>();
  readonly #failures: RetryTimes;
  /** Step that failed last, by storage. */
  readonly #failed = new Map<string, Step>();
  /** Storage of which the mount of an earlier agent may still be there: its restore failed, and is retried. */
  readonly #unrestored = new Set<string>();
  /** Storage that is no longer where it was, by id, with that path, while the mirror still has it there. */
  readonly #moved = new Map<string, string>();

  /**
   * Creates the worker. `onChange` is called when a step has ended, or a step is due again: `settled` may differ, and a
   * pass is to run.
   */
  constructor(world: MachineWorld, host: StorageHost | undefined, onChange: () => void) {
    this.#world = world;
    this.#host = host;
    this.#onChange = onChange;
    const { clock, random } = world;
    this.#failures = new RetryTimes({ clock, random, backoff: retryAfter, onDue: onChange });
  }

  /**
   * Whether hooks of the unit may run: each storage that they had is in its place again, or is known to be in another
   * place or nowhere.
   */
  isReadyFor(unit: string): boolean {
    const { mirror } = this.#world;
    if (!this.#toRestore || this.#listedAfter !== mirror.model()?.restored?.id) return false;
    return ![...this.#toRestore, ...this.#moved.keys()].some((id) => mirror.storage(id)?.unit === unit);
  }

  /** Waits for the steps under way, whose signal has aborted; a step that hangs is left to the next agent. */
  async stop(): Promise<void> {
    const late = new AbortController();
    await Promise.race([
      Promise.all(this.#busy.values()),
      this.#world.clock.sleep(endMs, late.signal).catch(() => undefined),
    ]);
    late.abort();
  }

  /** Begins as many steps as may be under way at once. True = units may be ready now that were not before. */
  async pass(signal: AbortSignal): Promise<boolean> {
    const { mirror } = this.#world;
    const { restored } = mirror.model() ?? {};
    // The storage of a restored model may be older than what is mounted here.
    if (!mirror.complete || restored?.state === 'held') return false;
    if (this.#listedAfter !== restored?.id) this.#toRestore = undefined;
    this.#listedAfter = restored?.id;
    const held = (this.#toRestore?.size ?? Infinity) + this.#moved.size;
    const toRestore = (this.#toRestore ??= await this.#lookBack());
    for (const [id, path] of this.#moved) if (mirror.storage(id)?.mounted !== path) this.#moved.delete(id);
    for (const [id, record] of this.#done) if (mirror.storage(id) !== record) this.#done.delete(id);
    for (const id of toRestore) if (!this.#failures.isWaiting(id)) this.#begin(id, 'restore', signal);
    for (const record of mirror.storages()) {
      const { id } = record;
      if (toRestore.has(id) || this.#busy.has(id)) continue;
      const step = nextAgentStep(record);
      // Failures are forgotten once their step is no longer due, or once the mount is made anew.
      if (step !== this.#failed.get(id) && this.#failed.get(id) !== 'restore') this.#forget(id);
      if (step && !this.#done.has(id) && !this.#failures.isWaiting(id)) this.#begin(id, step, signal);
    }
    return held > toRestore.size + this.#moved.size;
  }

  /** Lists mounts that a reboot, or what came after a backup, may have undone, and mounts that nothing needs. */
  async #lookBack(): Promise<Set<string>> {
    const { mirror } = this.#world;
    const noted = (await this.#host?.mounted()) ?? [];
    const held = mirror.storages().filter(({ mounted, unit }) => mounted !== undefined && unit !== undefined);
    return new Set([...noted.filter((id) => !mirror.storage(id)), ...held.map(({ id }) => id)]);
  }

  #forget(id: string): void {
    this.#failures.delete(id);
    this.#failed.delete(id);
  }

  #begin(id: string, step: Step, signal: AbortSignal): void {
    if (signal.aborted || this.#busy.has(id) || this.#busy.size >= stepsAtOnce) return;
    const ended = Promise.withResolvers<void>();
    this.#busy.set(id, ended.promise);
    void this.#attend(id, step, signal).then(ended.resolve);
  }

  async #attend(id: string, step: Step, signal: AbortSignal): Promise<void> {
    const { mirror, log } = this.#world;
    const record = mirror.storage(id);
    const toRestore = this.#toRestore;
    try {
      await this.#attempt(id, step, signal, async () => {
        if (step === 'restore') return await this.#restore(id, record, signal);
        if (!record) return;
        await this.#do(step, record, signal);
        this.#done.set(id, record);
      });
    } catch (error) {
      if (!signal.aborted) log.error('cannot report that storage failed', { storage: id, error });
    }
    this.#slow.delete(id);
    this.#busy.delete(id);
    if (step === 'restore' && !this.#unrestored.delete(id)) toRestore?.delete(id);
    if (!signal.aborted) this.#onChange();
  }

  /**
   * Makes the machine act. A hanging step would go unnoticed elsewhere, so it is reported; the report of its end undoes
   * that.
   */
  async #act<T>(id: string, step: AgentStep, signal: AbortSignal, act: () => Promise<T>): Promise<T> {
    const { api, clock, log } = this.#world;
    const ended = new AbortController();
    const stopped = anyOf(signal, ended.signal);
    const tell = async (): Promise<void> => {
      await clock.sleep(slowMs, stopped.signal);
      this.#slow.add(id);
      const message = `the machine has not ended the step "${step}" for ${slowMs / 1000} s`;
      log.warning('storage is slow', { storage: id, step });
      await api.call('StorageFailed', { storage: id, message }, { signal });
    };
    const told = tell().catch(() => undefined);
    try {
      return await act();
    } finally {
      ended.abort();
      stopped.done();
      // The report of the end follows the report of the slow step.
      await told;
    }
  }

  async #restore(id: string, record: StorageRecord | undefined, signal: AbortSignal): Promise<void> {
    if (!this.#host) return;
    if (!record) await this.#host.forget(id);
    // Storage that its unit has released meanwhile is unmounted by a step of its own.
    else if (record.mounted !== undefined && record.unit !== undefined)
      await this.#remount(this.#host, record, signal);
  }

  async #remount(host: StorageHost, record: StorageRecord, signal: AbortSignal): Promise<void> {
    const { api } = this.#world;
    const { id: storage, mounted = '' } = record;
    let now: Mounted;
    try {
      now = await this.#act(storage, 'mount', signal, () => host.mount(record));
    } catch (error) {
      signal.throwIfAborted();
      // The unit waits for the storage's unmounting, which waits for the hook that runs beside it after a restore.
      this.#moved.set(storage, mounted);
      await this.#world.lock.hold(signal, () => this.#unmount(host, record, signal));
      await api.call('StorageUnmounted', { storage }, { signal });
      throw error;
    }
    // A device may have another name after a reboot.
    if (now.path === mounted) this.#moved.delete(storage);
    else this.#moved.set(storage, mounted);
    if (now.path !== mounted || now.device !== record.device || this.#slow.has(storage))
      await api.call('StorageMounted', { storage, ...now }, { signal });
  }

  /** Ends a mount that could not be made again: an earlier agent's may be there, and a volume in use must not leave. */
  async #unmount(host: StorageHost, record: StorageRecord, signal: AbortSignal): Promise<void> {
    try {
      await this.#act(record.id, 'unmount', signal, () => host.unmount(record));
    } catch (error) {
      this.#unrestored.add(record.id);
      throw error;
    }
  }

  async #attempt(id: string, step: Step, signal: AbortSignal, run: () => Promise<void>): Promise<void> {
    const { api, log, mirror } = this.#world;
    try {
      await run();
      this.#forget(id);
    } catch (error) {
      signal.throwIfAborted();
      this.#failed.set(id, step);
      const { attempt, at } = this.#failures.wait(id, signal);
      const message = error instanceof Error ? error.message : String(error);
      log.warning('storage failed', { storage: id, why: message });
      const retry = { attempt, at: isoTime({ now: () => at }) };
      if (mirror.storage(id)) await api.call('StorageFailed', { storage: id, message, retry }, { signal });
    }
  }

  async #do(step: AgentStep, record: StorageRecord, signal: AbortSignal): Promise<void> {
    const { api, log } = this.#world;
    const storage = record.id;
    const host = this.#host;
    if (!host) throw new Error('this machine cannot have storage');
    const act = <T>(run: () => Promise<T>): Promise<T> => this.#act(storage, step, signal, run);
    switch (step) {
      case 'make': {
        const size = await act(() => host.make(record));
        await api.call('StorageMade', { storage, size }, { signal });
        break;
      }
      case 'mount': {
        const mounted = await act(() => host.mount(record));
        await api.call('StorageMounted', { storage, ...mounted }, { signal });
        break;
      }
      case 'unmount':
        await act(() => host.unmount(record));
        await api.call('StorageUnmounted', { storage }, { signal });
        break;
      case 'destroy':
        await act(() => host.destroy(record));
        await api.call('StorageDestroyed', { storage }, { signal });
        break;
    }
    log.info('storage step done', { storage, step });
  }
}
