/**
 * Ends volumes of the cloud whose storage is gone: a call of a controller that was killed may have made them later
 * (storage.md#orphaned-volumes). The harvester looks at the start, and at intervals.
 */
import type { StorageDoc } from '../../core/storage/document.ts';
import { planOrphans } from '../../core/storage/orphans.ts';
import { isHeld } from '../../core/model/restored.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import type { VolumeSource } from '../../providers/contract/provider.ts';
import { recordNewerVolumes } from '../transactions/change/restore.ts';
import { LimitedCalls, silence } from './limited-calls.ts';
import type { ModelWorker, WorkerNeeds } from './model-worker.ts';

const by = 'volume-harvester';
const intervalMs = 15 * 60_000;

type Needs = WorkerNeeds<'clock' | 'environ' | 'log'>;

export class VolumeHarvester implements ModelWorker {
  readonly #needs: Needs;
  readonly #log: Log;
  readonly #calls: LimitedCalls;
  #nextAt = 0;
  /** Whether the model waited for an operator at the last pass. */
  #held = false;
  /** Unknown volumes, as they were last logged. */
  #told = '';

  constructor(needs: Needs) {
    this.#needs = needs;
    const { clock, log } = needs.services;
    this.#log = log.module('grigri.volumes');
    this.#calls = callsAboutOrphans(clock);
  }

  /** Looks at the cloud when that is due. Returns milliseconds until the next look. */
  async pass(signal: AbortSignal): Promise<number | undefined> {
    const { services, store, modelUuid } = this.#needs;
    const view = store.read().in(modelUuid);
    // The volumes of a dying model are released when the model is removed.
    const model = store.read().get('model', modelUuid);
    if (model?.life !== 'alive') return undefined;
    const now = services.clock.now();
    if (this.#held !== isHeld(model)) this.#nextAt = 0;
    this.#held = isHeld(model);
    if (now < this.#nextAt && this.#nextAt - now <= intervalMs) return this.#nextAt - now;
    if (view.get('sequence', 'storage')) {
      const source = services.environ(modelUuid, view).storage;
      if (source) await this.#harvest(source, signal);
    }
    this.#nextAt = now + intervalMs;
    return intervalMs;
  }

  async #harvest(source: VolumeSource, signal: AbortSignal): Promise<void> {
    const orphans = { ...this.#needs, log: this.#log, calls: this.#calls };
    const unknown = await endOrphans({ ...orphans, modelGoes: false }, source, signal);
    if (unknown.length > 0 && String(unknown) !== this.#told)
      this.#log.warning('volumes of the model without a storage', { volumes: unknown });
    this.#told = String(unknown);
  }
}

/** The limit of time of each call that looks for orphans or ends one. */
export function callsAboutOrphans(clock: Clock): LimitedCalls {
  return new LimitedCalls({ clock, answerMs: silence.answerMs, lateMs: 0, onEnd: () => undefined });
}

/**
 * Ends the model's volumes whose storage was removed, in the way in which that storage was to end; after a restore none
 * until an operator has accepted it. `modelGoes`: the model is removed next, with the volumes that stay. Returns their
 * ids.
 */
export async function endOrphans(
  {
    store,
    modelUuid,
    log,
    calls,
    modelGoes,
  }: Pick<Needs, 'store' | 'modelUuid'> & {
    readonly log: Log;
    readonly calls: LimitedCalls;
    readonly modelGoes: boolean;
  },
  source: VolumeSource,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const ask = <T>(call: (limit: AbortSignal) => Promise<T>): Promise<T> =>
    calls.ask({ key: 'volumes', step: 'look' }, call, signal);
  /** The last record of a storage that was removed. */
  const removed = (id: string): StorageDoc | undefined => {
    const [removal] = store.past({ documents: [{ space: modelUuid, kind: 'storage', id }] });
    return removal?.changes(1)[0]?.before as StorageDoc | undefined;
  };
  const volumes = await ask((limit) => source.list(limit));
  const records = store.read().in(modelUuid).list('storage');
  const { ends, unknown } = planOrphans(volumes, records, { removed, modelGoes });
  if (isHeld(store.read().get('model', modelUuid))) {
    const ids = [...unknown, ...ends.map(({ id }) => id)];
    await store.change((root) => recordNewerVolumes(root.in(modelUuid), ids), by);
    return ids;
  }
  for (const { id, storage, how, attachedTo } of ends) {
    log.warning('ending a volume whose storage is gone', { volume: id, storage, how });
    for (const instanceId of attachedTo) await ask((limit) => source.detach({ id, instanceId }, limit));
    if (how === 'destroy') await ask((limit) => source.destroy([id], limit));
    else await ask(async (limit) => source.release?.([id], limit));
  }
  return unknown;
}
