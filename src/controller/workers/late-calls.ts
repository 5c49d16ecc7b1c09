/**
 * Looks for what the cloud makes for models that are gone: a call of a controller that was killed may be carried out
 * after its model was removed (storage.md#late-calls-for-removed-models).
 */
import type { Entities } from '../../core/kinds.ts';
import type { RemovedModelDoc } from '../../core/removed-model/document.ts';
import type { Log } from '../../kit/log.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { forgetRemovedModel } from '../transactions/end/remove-model.ts';
import { silence, type LimitedCalls } from './limited-calls.ts';
import { callsAboutOrphans, endOrphans } from './volume-harvester.ts';

const by = 'late-calls';
const intervalMs = 5 * 60_000;
/** Number of looks after which no call can come any more. */
const looks = Math.ceil((silence.answerMs + silence.lateMs) / intervalMs);
/** Time since the removal after which a cloud that refuses is not asked any more. */
const givenUpMs = 24 * 3_600_000;

interface Needs {
  readonly store: Store<Entities>;
  readonly services: Pick<Services, 'clock' | 'dispatch' | 'environ' | 'log'>;
  readonly wake: () => void;
}

/** Removed models are attended to beside each other: a cloud that does not answer holds up its own models only. */
export class LateCalls {
  readonly #needs: Needs;
  readonly #log: Log;
  readonly #calls: LimitedCalls;
  readonly #attended = new Set<string>();
  readonly stop: () => void;

  constructor(needs: Needs) {
    this.#needs = needs;
    this.#log = needs.services.log.module('grigri.late-calls');
    this.#calls = callsAboutOrphans(needs.services.clock);
    this.stop = needs.services.dispatch.on('', 'removed-model', needs.wake);
  }

  pass(signal: AbortSignal): Promise<void> {
    for (const model of this.#needs.store.read().list('removed-model')) {
      if (this.#attended.has(model.uuid)) continue;
      this.#attended.add(model.uuid);
      void this.#attend(model, signal).catch((error: unknown) => {
        if (!signal.aborted) this.#log.error('a removed model is not looked for any more', { error });
      });
    }
    return Promise.resolve();
  }

  /** Looks until no call can come any more; a look that fails does not count. A later controller begins anew. */
  async #attend(model: RemovedModelDoc, signal: AbortSignal): Promise<void> {
    const { store, services } = this.#needs;
    const { uuid, name, since } = model;
    this.#log.info('the cloud is looked at again for a removed model', { model: name });
    for (let done = 0; done < looks;) {
      await services.clock.sleep(intervalMs, signal);
      try {
        await this.#look(model, signal);
        done++;
      } catch (error) {
        signal.throwIfAborted();
        this.#log.warning('cannot look for what the cloud has made for a removed model', {
          model: name,
          error,
        });
        if (services.clock.now() - Date.parse(since) < givenUpMs) continue;
        this.#log.error('the cloud may have instances and volumes of a removed model', { model: name, uuid });
        break;
      }
    }
    await store.change((tx) => forgetRemovedModel(tx.in(''), uuid), by);
    this.#attended.delete(uuid);
  }

  async #look({ uuid, name }: RemovedModelDoc, signal: AbortSignal): Promise<void> {
    const { store, services } = this.#needs;
    // A model that is there again has workers of its own.
    if (store.read().get('model', uuid)) return;
    const ask = <T>(call: (limit: AbortSignal) => Promise<T>): Promise<T> =>
      this.#calls.ask({ key: uuid, step: 'look' }, call, signal);
    const environ = services.environ(uuid, store.read());
    const orphans = { store, modelUuid: uuid, log: this.#log, calls: this.#calls, modelGoes: true };
    const volumes = environ.storage ? await endOrphans(orphans, environ.storage, signal) : [];
    const instances = (await ask((limit) => environ.instances.list(limit))).map(({ id }) => id);
    if (volumes.length + instances.length === 0) return;
    this.#log.warning('ending what the cloud has made for a removed model', {
      model: name,
      volumes,
      instances,
    });
    await ask((limit) => environ.destroyModel(limit));
  }
}
