/** Takes a dying model down: applications, then machines, then what the provider made for it, the record last. */
import type { ApplicationDoc } from '../../core/application/document.ts';
import type { Entities } from '../../core/kinds.ts';
import type { MachineDoc } from '../../core/machine/document.ts';
import type { ModelDoc } from '../../core/model/document.ts';
import { hasCode, JujuError } from '../../core/errors.ts';
import { isImpeded } from '../../core/impediments.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { setStatus, type Tx, type View } from '../transactions/tx.ts';
import { destroyApplication } from '../transactions/destroy-application.ts';
import { destroyMachine } from '../transactions/destroy-machine.ts';
import type { ForceRequest } from '../transactions/force.ts';
import { documentsOf, removeModel } from '../transactions/remove-model.ts';
import { inBatches } from './in-batches.ts';

const by = 'undertaker';
/** Changes in one transaction: each application may have many units. */
const applicationsAtOnce = 1;
const machinesAtOnce = 100;
const documentsAtOnce = 500;

export function createUndertaker(needs: {
  store: Store<Entities>;
  services: Services;
  modelUuid: string;
}): (signal: AbortSignal) => Promise<void> {
  const { store, services, modelUuid } = needs;
  const log = services.log.module('grigri.undertaker');
  /** The deadline that all in the model have been told; '' = none, undefined = they have been told nothing. */
  let told: string | undefined;

  return async (signal) => {
    const view = store.read().in(modelUuid);
    const model = view.in('').get('model', modelUuid);
    if (!model || model.life === 'alive') return;

    await inBatches(toTell(view, model, 'application'), applicationsAtOnce, signal, (names) =>
      change(model, names, (tx, application, force) => {
        if (tx.get('application', application))
          destroyApplication(tx, { application, ...force, removeOffers: true });
      }),
    );
    await inBatches(toTell(view, model, 'machine'), machinesAtOnce, signal, (ids) =>
      change(model, ids, (tx, machine, force) => {
        const doc = tx.get('machine', machine);
        if (doc && !doc.isController) destroyMachine(tx, { machine, ...force, keepInstance: false });
      }),
    );
    told = model.force?.deadline ?? '';
    if (isImpeded({ kind: 'model', id: modelUuid }, store.read().in(modelUuid))) return;
    await bury(model, signal);
  };

  /**
   * All of them when there is a new deadline; else those that are alive: a pass does not go through all that is on its
   * way already.
   */
  function toTell(view: View, model: ModelDoc, kind: 'application' | 'machine'): string[] {
    const deadline = model.force?.deadline;
    if (deadline === undefined || deadline === told) return [...view.find(kind, 'life', 'alive')].map(idOf);
    return [...view.list(kind)]
      .filter(({ life, force }) => life !== 'dead' && !(force && force.deadline <= deadline))
      .map(idOf);
  }

  /** One that is refused stops no other: units of a machine go first, and their removal wakes this worker again. */
  async function change(
    model: ModelDoc,
    ids: readonly string[],
    fn: (tx: Tx, id: string, force: { force?: ForceRequest }) => void,
  ): Promise<void> {
    await store.change((root) => {
      const tx = root.in(modelUuid);
      for (const id of ids)
        try {
          fn(tx, id, remaining(tx, model));
        } catch (error) {
          if (!(error instanceof JujuError)) throw error;
          log.debug('not yet removed', { id, why: error.message });
        }
    }, by);
  }

  async function bury(model: ModelDoc, signal: AbortSignal): Promise<void> {
    const view = store.read().in(modelUuid);
    await release(signal);
    try {
      await inBatches(documentsOf(view), documentsAtOnce, signal, (documents) =>
        store.change((root) => {
          const tx = root.in(modelUuid);
          for (const { kind, id } of documents) tx.remove(kind, id);
        }, by),
      );
      await store.change((tx) => removeModel(tx.in(''), modelUuid), by);
    } catch (error) {
      // Something came meanwhile, and has woken this worker.
      if (hasCode(error, 'model not empty')) return;
      throw error;
    }
    services.logs.remove(modelUuid);
    log.info('model removed', { model: model.name });
  }

  /** Why the cloud does not let it go is told with the model's status: it is tried again, without end. */
  async function release(signal: AbortSignal): Promise<void> {
    try {
      await services.environ(modelUuid, store.read().in(modelUuid)).destroyModel(signal);
    } catch (error) {
      signal.throwIfAborted();
      const message = error instanceof Error ? error.message : String(error);
      await store.change((tx) => setStatus(tx.in(modelUuid), 'model', '', 'destroying', message), by);
      throw error;
    }
  }
}

/** The model's deadline is that of all that is in it. */
function remaining(tx: Tx, { force }: ModelDoc): { force?: ForceRequest } {
  if (!force) return {};
  return { force: { maxWaitMs: Date.parse(force.deadline) - Date.parse(tx.now), by: force.by } };
}

function idOf(doc: ApplicationDoc | MachineDoc): string {
  return 'name' in doc ? doc.name : doc.id;
}
