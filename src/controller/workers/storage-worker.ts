/** Volumes of the cloud: created, attached, detached and destroyed as the model's storage asks (storage.md#storage-steps). */
import type { StorageDoc } from '../../core/storage/document.ts';
import { nextCloudStep, type CloudStep } from '../../core/storage/plan.ts';
import { isoTime } from '../../kit/clock.ts';
import { DirtyIds } from '../../kit/dirty-ids.ts';
import type { Log } from '../../kit/log.ts';
import type { Backoff } from '../../kit/retry.ts';
import { RetryTimes } from '../../kit/retry-times.ts';
import { volumesAt, type VolumeSource } from '../../providers/contract/provider.ts';
import { settleStorage } from '../transactions/end/detach-storage.ts';
import {
  prepareAttach,
  volumeAttached,
  volumeCreated,
  volumeDetached,
  volumeEnded,
  volumeFailed,
} from '../transactions/instance/volumes.ts';
import type { Tx, View } from '../transactions/tx.ts';
import type { ModelWorker, WorkerNeeds } from './model-worker.ts';

const by = 'storage-worker';
const retryAfter: Backoff = { firstMs: 30_000, maxMs: 300_000, factor: 2, jitter: 0.1 };
/** Tag of a volume: the storage that it was made for. */
const storageTag = 'juju-storage-instance';

type Needs = WorkerNeeds<'clock' | 'dispatch' | 'environ' | 'log' | 'random'>;

interface Todo {
  readonly step: CloudStep;
  readonly doc: StorageDoc;
  /** Id of the machine's instance; '' = it has none. */
  readonly instance: string;
}

/** Number of storages whose steps are under way at once. */
const stepsAtOnce = 16;

/**
 * Steps run beside the passes, one at a time per storage, so that a cloud's slow answer about one volume delays no other.
 */
export class StorageWorker implements ModelWorker {
  readonly #needs: Needs;
  readonly #log: Log;
  readonly #view: View;
  readonly #dirty: DirtyIds;
  /** Storage with a step to do, in the order in which that was seen. */
  readonly #wanted = new Set<string>();
  /** Storage with a step under way. */
  readonly #busy = new Set<string>();
  readonly #failures: RetryTimes;
  /** The step that failed last. */
  readonly #failed = new Map<string, CloudStep>();
  readonly #subscriptions: readonly (() => void)[];

  constructor(needs: Needs) {
    this.#needs = needs;
    const { clock, dispatch, log, random } = needs.services;
    this.#log = log.module('grigri.storage');
    const onDue = (id: string): void => this.#add([id]);
    this.#failures = new RetryTimes({ clock, random, backoff: retryAfter, onDue });
    const view = (this.#view = needs.store.read().in(needs.modelUuid));
    this.#dirty = new DirtyIds(() =>
      [...view.find('storage', 'detachable', 'detachable')].map(({ id }) => id),
    );
    this.#subscriptions = [
      dispatch.on(needs.modelUuid, 'storage', ({ id, after }) => {
        if (after?.detachable) this.#add([id]);
      }),
      dispatch.on(needs.modelUuid, 'machine', ({ id, before, after }) => {
        if (before?.instance?.id === after?.instance?.id) return;
        this.#add(
          [...view.find('storage', 'machine', id)].flatMap((one) => (one.detachable ? [one.id] : [])),
        );
      }),
    ];
  }

  async pass(signal: AbortSignal): Promise<void> {
    await this.#dirty.take((ids) => {
      for (const id of ids) this.#look(id);
      return Promise.resolve();
    });
    this.#begin(signal);
  }

  stop(): void {
    for (const end of this.#subscriptions) end();
  }

  #add(ids: readonly string[]): void {
    if (this.#dirty.add(ids) > 0) this.#needs.wake();
  }

  #look(id: string): void {
    if (this.#busy.has(id)) return;
    const step = this.#todo(id)?.step;
    // What failed was a step that is not to be done any more.
    if (step !== this.#failed.get(id)) this.#forget(id);
    if (step === undefined) this.#wanted.delete(id);
    else if (!this.#failures.isWaiting(id)) this.#wanted.add(id);
  }

  #forget(id: string): void {
    this.#failures.delete(id);
    this.#failed.delete(id);
  }

  #todo(id: string): Todo | undefined {
    const doc = this.#view.get('storage', id);
    const machine = doc?.machine === undefined ? undefined : this.#view.get('machine', doc.machine);
    const instance = machine?.life === 'dead' ? undefined : machine?.instance?.id;
    const step = doc && nextCloudStep(doc, instance);
    return step && { step, doc, instance: instance ?? '' };
  }

  /** Begins as many steps as may be under way at once. */
  #begin(signal: AbortSignal): void {
    for (const id of this.#wanted) {
      if (signal.aborted || this.#busy.size >= stepsAtOnce) return;
      this.#wanted.delete(id);
      void this.#attend(id, signal);
    }
  }

  /** Takes the storage one step further, then looks at it again. */
  async #attend(id: string, signal: AbortSignal): Promise<void> {
    const todo = this.#todo(id);
    if (!todo) return;
    this.#busy.add(id);
    try {
      await this.#attempt(todo, signal);
    } catch (error) {
      if (!signal.aborted) this.#log.error('cannot report that storage failed', { storage: id, error });
    }
    this.#busy.delete(id);
    this.#add([id]);
  }

  async #attempt(todo: Todo, signal: AbortSignal): Promise<void> {
    const { services, modelUuid } = this.#needs;
    const { step, doc } = todo;
    const storage = doc.id;
    try {
      const source = services.environ(modelUuid, this.#view).storage;
      if (source?.type !== doc.provider)
        throw new Error(`the cloud has no storage provider "${doc.provider}"`);
      await this.#do(todo, source, signal);
      this.#forget(storage);
      this.#log.info('storage step done', { storage, step });
    } catch (error) {
      // The next worker does the step again.
      if (signal.aborted) return;
      this.#failed.set(storage, step);
      const { attempt, at } = this.#failures.wait(storage, signal);
      const message = error instanceof Error ? error.message : String(error);
      this.#log.warning('storage failed', { storage, step, why: message });
      const retry = { attempt, at: isoTime({ now: () => at }) };
      await this.#change((tx) => volumeFailed(tx, { storage, message, retry }));
      // An import is not tried again: its end is due at once.
      if (step === 'adopt') this.#failures.delete(storage);
    }
  }

  async #do({ step, doc, instance }: Todo, source: VolumeSource, signal: AbortSignal): Promise<void> {
    const { id: storage, number, made } = doc;
    switch (step) {
      case 'create': {
        const { id, size } = await source.create(
          { id: number, size: doc.size, config: doc.attributes, tags: { [storageTag]: storage } },
          signal,
        );
        return this.#change((tx) => volumeCreated(tx, { storage, providerId: id, size }));
      }
      case 'adopt': {
        if (!source.adopt) throw new Error(`storage provider "${source.type}" does not support importing`);
        const { id, size } = await source.adopt(
          { id: number, providerId: doc.adopting ?? '', tags: { [storageTag]: storage } },
          signal,
        );
        return this.#change((tx) => volumeCreated(tx, { storage, providerId: id, size }));
      }
      case 'attach': {
        if (!made || !(await this.#change((tx) => prepareAttach(tx, { storage, instance })))) return;
        const path = `${volumesAt}/${number}`;
        await source.attach({ id: made.providerId, instanceId: instance, path, readOnly: false }, signal);
        return this.#change((tx) => volumeAttached(tx, { storage, instance }));
      }
      case 'detach':
        if (made && doc.instance !== undefined)
          await source.detach({ id: made.providerId, instanceId: doc.instance }, signal);
        return this.#change((tx) => volumeDetached(tx, { storage, instance: doc.instance }));
      case 'free':
        return this.#change((tx) => {
          const now = tx.get('storage', storage);
          if (now) settleStorage(tx, now);
        });
      case 'destroy': {
        const ids = made ? [made.providerId] : await this.#unrecorded(storage, source, signal);
        if (doc.ending === 'destroy') await source.destroy(ids, signal);
        else if (source.release) await source.release(ids, signal);
        else throw new Error(`storage provider "${source.type}" does not support releasing storage`);
        return this.#change((tx) => volumeEnded(tx, storage));
      }
    }
  }

  /** Volumes that were created for the storage before a crash kept that from being recorded. */
  async #unrecorded(storage: string, source: VolumeSource, signal: AbortSignal): Promise<string[]> {
    return (await source.list(signal)).flatMap(({ id, tags }) => (tags[storageTag] === storage ? [id] : []));
  }

  #change<T>(fn: (tx: Tx) => T): Promise<T> {
    return this.#needs.store.change((root) => fn(root.in(this.#needs.modelUuid)), by);
  }
}
