/**
 * Volumes of the cloud: created, attached, detached and destroyed as the model's storage asks
 * (storage.md#storage-steps).
 */
import type { StorageDoc } from '../../core/storage/document.ts';
import { adoptedTag, storageTag } from '../../core/storage/orphans.ts';
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
import { addDefaultPools } from '../transactions/set/storage-pools.ts';
import type { Tx, View } from '../transactions/tx.ts';
import { LimitedCalls, silence } from './limited-calls.ts';
import type { ModelWorker, WorkerNeeds } from './model-worker.ts';

const by = 'storage-worker';
const retryAfter: Backoff = { firstMs: 30_000, maxMs: 300_000, factor: 2, jitter: 0.1 };
type Needs = WorkerNeeds<'clock' | 'dispatch' | 'environ' | 'log' | 'random'>;

interface Todo {
  readonly step: CloudStep;
  readonly doc: StorageDoc;
  /** Id of the machine's instance; '' = it has none. */
  readonly instance: string;
}

/** Number of storages whose steps are under way at once. */
const stepsAtOnce = 16;
/** Steps that a step undoes: a late call of one of these must not follow it. */
const undone: Readonly<Partial<Record<CloudStep, readonly CloudStep[]>>> = {
  attach: ['detach'],
  detach: ['attach'],
  destroy: ['create', 'adopt', 'attach'],
};

/**
 * Steps run beside the passes, one at a time per storage, so that a cloud's slow answer about one volume delays no
 * other.
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
  readonly #calls: LimitedCalls;
  /** Whether the model's default pools exist, or were asked for. */
  #hasPools = false;
  /** The step that failed last. */
  readonly #failed = new Map<string, CloudStep>();
  readonly #subscriptions: readonly (() => void)[];

  constructor(needs: Needs) {
    this.#needs = needs;
    const { clock, dispatch, log, random } = needs.services;
    this.#log = log.module('grigri.storage');
    const onDue = (id: string): void => this.#add([id]);
    this.#failures = new RetryTimes({ clock, random, backoff: retryAfter, onDue });
    this.#calls = new LimitedCalls({ clock, ...silence, onEnd: onDue });
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
    if (!this.#hasPools) void this.#addPools(signal);
    this.#hasPools = true;
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
    // A failure is forgotten once its step is not due any more.
    if (step !== this.#failed.get(id)) this.#forget(id);
    if (step === undefined || this.#isHindered(id, step)) this.#wanted.delete(id);
    else if (!this.#failures.isWaiting(id)) this.#wanted.add(id);
  }

  /** Whether a late call of the cloud may still do what the step undoes. */
  #isHindered(id: string, step: CloudStep): boolean {
    return this.#calls.mayCome(id, undone[step] ?? []);
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
    if (!todo || this.#isHindered(id, todo.step)) return;
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
      // A failed step may be held up by what a call of an earlier controller has attached.
      if (this.#failed.get(storage) === step && (step === 'attach' || step === 'destroy'))
        await this.#letGo(todo, source, signal);
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
    const ask = <T>(call: (limit: AbortSignal) => Promise<T>): Promise<T> =>
      this.#calls.ask({ key: storage, step }, call, signal);
    switch (step) {
      case 'create': {
        const { size: wanted, attributes: config } = doc;
        const params = { id: number, size: wanted, config, tags: { [storageTag]: storage } };
        const { id, size, lack } = await ask((limit) => source.create(params, limit));
        return this.#change((tx) => volumeCreated(tx, { storage, providerId: id, size, lack }));
      }
      case 'adopt': {
        const { adopt } = source;
        if (!adopt) throw new Error(`storage provider "${source.type}" does not support importing`);
        const tags = { [storageTag]: storage, [adoptedTag]: 'true' };
        const params = { id: number, providerId: doc.adopting ?? '', tags };
        const { id, size, lack } = await ask((limit) => adopt(params, limit));
        return this.#change((tx) => volumeCreated(tx, { storage, providerId: id, size, lack }));
      }
      case 'attach': {
        if (!made || !(await this.#change((tx) => prepareAttach(tx, { storage, instance })))) return;
        const path = `${volumesAt}/${number}`;
        const params = { id: made.providerId, instanceId: instance, path, readOnly: false };
        await ask((limit) => source.attach(params, limit));
        return this.#change((tx) => volumeAttached(tx, { storage, instance }));
      }
      case 'detach': {
        const params = made &&
          doc.instance !== undefined && { id: made.providerId, instanceId: doc.instance };
        if (params) await ask((limit) => source.detach(params, limit));
        return this.#change((tx) => volumeDetached(tx, { storage, instance: doc.instance }));
      }
      case 'free':
        return this.#change((tx) => {
          const now = tx.get('storage', storage);
          if (now) settleStorage(tx, now);
        });
      case 'destroy': {
        const { release } = source;
        const ids = made ? [made.providerId] : await ask((limit) => this.#unrecorded(storage, source, limit));
        if (doc.ending === 'destroy') await ask((limit) => source.destroy(ids, limit));
        else if (release) await ask((limit) => release(ids, limit));
        else throw new Error(`storage provider "${source.type}" does not support releasing storage`);
        return this.#change((tx) => volumeEnded(tx, storage));
      }
    }
  }

  /** Detaches the volume from instances that its record does not name. */
  async #letGo({ step, doc }: Todo, source: VolumeSource, signal: AbortSignal): Promise<void> {
    const ask = <T>(call: (limit: AbortSignal) => Promise<T>): Promise<T> =>
      this.#calls.ask({ key: doc.id, step }, call, signal);
    const volume = (await ask((limit) => source.list(limit))).find(({ id }) => id === doc.made?.providerId);
    for (const instanceId of volume?.attachedTo ?? []) {
      if (instanceId === doc.instance || instanceId === '') continue;
      this.#log.warning('detaching a volume from an instance that should not have it', {
        storage: doc.id,
        instance: instanceId,
      });
      await ask((limit) => source.detach({ id: volume!.id, instanceId }, limit));
    }
  }

  /** Adds the cloud's own pools to a new model; a cloud that does not answer is asked again. */
  async #addPools(signal: AbortSignal): Promise<void> {
    const { modelUuid, services, store } = this.#needs;
    while (!signal.aborted && !store.read().get('model', modelUuid)?.defaultPools)
      try {
        const source = services.environ(modelUuid, this.#view).storage;
        const pools = await source?.defaultPools?.(signal);
        if (!source || !pools) return;
        return await this.#change((tx) => addDefaultPools(tx, source.type, pools));
      } catch (error) {
        if (signal.aborted) return;
        this.#log.warning('cannot ask the cloud for its storage pools', { error });
        await services.clock.sleep(retryAfter.maxMs, signal).catch(() => undefined);
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
