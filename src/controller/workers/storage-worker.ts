/** Volumes of the cloud: created, attached, detached and destroyed as the model's storage asks (storage.md#storage-steps). */
import type { StorageDoc } from '../../core/storage/document.ts';
import { nextCloudStep, type CloudStep } from '../../core/storage/plan.ts';
import { DirtyIds } from '../../kit/dirty-ids.ts';
import type { Log } from '../../kit/log.ts';
import { backoffMs, type Backoff } from '../../kit/retry.ts';
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

export class StorageWorker implements ModelWorker {
  readonly #needs: Needs;
  readonly #log: Log;
  readonly #view: View;
  readonly #dirty: DirtyIds;
  readonly #failed = new Map<string, { readonly count: number; readonly at: number }>();
  readonly #subscriptions: readonly (() => void)[];

  constructor(needs: Needs) {
    this.#needs = needs;
    const { dispatch, log } = needs.services;
    this.#log = log.module('grigri.storage');
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

  async pass(signal: AbortSignal): Promise<number | undefined> {
    const { clock } = this.#needs.services;
    for (const [id, { at }] of this.#failed) if (at <= clock.now()) this.#dirty.add([id]);
    if (!this.#dirty.isEmpty)
      await this.#dirty.take(async (ids) => {
        for (const id of ids) {
          signal.throwIfAborted();
          if ((this.#failed.get(id)?.at ?? 0) <= clock.now()) await this.#attend(id, signal);
        }
      });
    const times = [...this.#failed.values()].map(({ at }) => at - clock.now());
    return times.length === 0 ? undefined : Math.max(Math.min(...times), 0);
  }

  stop(): void {
    for (const end of this.#subscriptions) end();
  }

  #add(ids: readonly string[]): void {
    if (this.#dirty.add(ids) > 0) this.#needs.wake();
  }

  /** Takes the storage one step further; the change of its record wakes this worker for the next one. */
  async #attend(id: string, signal: AbortSignal): Promise<void> {
    const { services, modelUuid } = this.#needs;
    const doc = this.#view.get('storage', id);
    const machine = doc?.machine === undefined ? undefined : this.#view.get('machine', doc.machine);
    const step = doc && nextCloudStep(doc, machine?.life === 'dead' ? undefined : machine?.instance?.id);
    if (!step) return void this.#failed.delete(id);
    try {
      const source = services.environ(modelUuid, this.#view).storage;
      if (source?.type !== doc.provider)
        throw new Error(`the cloud has no storage provider "${doc.provider}"`);
      await this.#do(step, { doc, source, signal, instance: machine?.instance?.id ?? '' });
      this.#failed.delete(id);
      this.#log.info('storage step done', { storage: id, step });
    } catch (error) {
      signal.throwIfAborted();
      const count = (this.#failed.get(id)?.count ?? 0) + 1;
      const at = services.clock.now() + backoffMs(retryAfter, count - 1, services.random);
      this.#failed.set(id, { count, at });
      const message = error instanceof Error ? error.message : String(error);
      this.#log.warning('storage failed', { storage: id, step, why: message });
      await this.#change((tx) => volumeFailed(tx, { storage: id, message }));
    }
  }

  async #do(
    step: CloudStep,
    {
      doc,
      source,
      signal,
      instance,
    }: { doc: StorageDoc; source: VolumeSource; signal: AbortSignal; instance: string },
  ): Promise<void> {
    const { id: storage, number, made } = doc;
    switch (step) {
      case 'create': {
        const { id, size } = await source.create(
          { id: number, size: doc.size, config: doc.attributes, tags: { [storageTag]: storage } },
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
