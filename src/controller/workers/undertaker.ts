/** Takes a dying model down: applications, then machines, then what the provider created for it, the record last. */
import type { ApplicationDoc } from '../../core/application/document.ts';
import type { MachineDoc } from '../../core/machine/document.ts';
import type { ModelDoc } from '../../core/model/document.ts';
import { hasCode, JujuError } from '../../core/errors.ts';
import { isImpeded } from '../../core/impediments.ts';
import type { Log } from '../../kit/log.ts';
import type { Tx, View } from '../transactions/tx.ts';
import { destroyApplication } from '../transactions/end/destroy-application.ts';
import { destroyMachine } from '../transactions/end/destroy-machine.ts';
import { endDetached } from '../transactions/end/detach-storage.ts';
import type { ForceRequest } from '../transactions/end/force.ts';
import {
  documentsOf,
  removeDocuments,
  removeModel,
  reportModelUnreleased,
} from '../transactions/end/remove-model.ts';
import { inBatches } from './in-batches.ts';
import type { ModelWorker, WorkerNeeds } from './model-worker.ts';
import type { LimitedCalls } from './limited-calls.ts';
import { callsAboutOrphans, endOrphans } from './volume-harvester.ts';

const by = 'undertaker';
/** Number of applications changed in one transaction: each may have many units. */
const applicationsAtOnce = 1;
const machinesAtOnce = 100;
const documentsAtOnce = 500;
const storageAtOnce = 100;

type Needs = Pick<WorkerNeeds<'clock' | 'environ' | 'log' | 'logs'>, 'modelUuid' | 'services' | 'store'> & {
  /** Whether the cloud may still carry out a call about the model that an earlier controller has made. */
  readonly mayCallsCome: () => boolean;
};

export class Undertaker implements ModelWorker {
  readonly #needs: Needs;
  readonly #log: Log;
  readonly #calls: LimitedCalls;
  /** Deadline that everything in the model was given; '' = none, undefined = nothing was given yet. */
  #appliedDeadline: string | undefined;
  /** Whether the model was alive at the last look; a change of the model always causes another look. */
  #isIdle = false;

  constructor(needs: Needs) {
    this.#needs = needs;
    this.#log = needs.services.log.module('grigri.undertaker');
    this.#calls = callsAboutOrphans(needs.services.clock);
  }

  ignores(): boolean {
    return this.#isIdle;
  }

  async pass(signal: AbortSignal): Promise<void> {
    const view = this.#read();
    const model = view.in('').get('model', this.#needs.modelUuid);
    this.#isIdle = model?.life === 'alive';
    if (!model || this.#isIdle) return;

    await inBatches(this.#entitiesToEnd(view, model, 'application'), applicationsAtOnce, signal, (names) =>
      this.#destroyAll(model, names, (tx, application, force) => {
        if (tx.get('application', application))
          destroyApplication(tx, {
            application,
            ...force,
            removeOffers: true,
            destroyStorage: model.storageEnd === 'destroy',
          });
      }),
    );
    await inBatches(this.#entitiesToEnd(view, model, 'machine'), machinesAtOnce, signal, (ids) =>
      this.#destroyAll(model, ids, (tx, machine, force) => {
        const doc = tx.get('machine', machine);
        if (doc && !doc.isController) destroyMachine(tx, { machine, ...force, keepInstance: false });
      }),
    );
    const detached = [...view.find('storage', 'detached', 'detached')].flatMap(({ id, ending }) =>
      ending ? [] : [id],
    );
    await inBatches(detached, storageAtOnce, signal, (ids) =>
      this.#change((tx) => endDetached(tx, ids, model.storageEnd !== 'destroy')),
    );
    this.#appliedDeadline = model.force?.deadline ?? '';
    if (isImpeded({ kind: 'model', id: model.uuid }, this.#read())) return;
    await this.#removeEmptied(model, signal);
  }

  /**
   * Entities to end: all of them when there is a new deadline, else those that are alive; a pass skips what is dying
   * already.
   */
  #entitiesToEnd(view: View, model: ModelDoc, kind: 'application' | 'machine'): string[] {
    const deadline = model.force?.deadline;
    if (deadline === undefined || deadline === this.#appliedDeadline)
      return [...view.find(kind, 'life', 'alive')].map(idOf);
    return [...view.list(kind)]
      .filter(({ life, force }) => life !== 'dead' && !(force && force.deadline <= deadline))
      .map(idOf);
  }

  /**
   * Ends each entity; a refusal does not stop others: units of a machine go first, and their removal wakes this worker
   * again.
   */
  #destroyAll(
    model: ModelDoc,
    ids: readonly string[],
    destroy: (tx: Tx, id: string, force: { force?: ForceRequest }) => void,
  ): Promise<void> {
    return this.#change((tx) => {
      for (const id of ids)
        try {
          destroy(tx, id, remaining(tx, model));
        } catch (error) {
          if (!(error instanceof JujuError)) throw error;
          this.#log.debug('not yet removed', { id, why: error.message });
        }
    });
  }

  async #removeEmptied(model: ModelDoc, signal: AbortSignal): Promise<void> {
    const { store, services, modelUuid } = this.#needs;
    const view = this.#read();
    await this.#release(signal);
    try {
      await inBatches(documentsOf(view), documentsAtOnce, signal, (documents) =>
        this.#change((tx) => removeDocuments(tx, documents)),
      );
      const lookAgain = this.#needs.mayCallsCome();
      const isKnown = await store.change((tx) => removeModel(tx.in(''), modelUuid, { lookAgain }), by);
      if (lookAgain && !isKnown)
        this.#log.warning('too many removed models are looked for in their clouds: this one is not', {
          model: model.name,
        });
    } catch (error) {
      // New content appeared in the meantime and has woken this worker.
      if (hasCode(error, 'model not empty')) return;
      throw error;
    }
    services.logs.remove(modelUuid);
    this.#log.info('model removed', { model: model.name });
  }

  /**
   * Releases the model's resources in the cloud. A refusal is shown in the model's status, and the release is tried
   * again, without end.
   */
  async #release(signal: AbortSignal): Promise<void> {
    const { services, modelUuid } = this.#needs;
    try {
      const view = this.#read();
      const environ = services.environ(modelUuid, view);
      // A volume that a killed controller's late call took in is released, and not destroyed with the model.
      const orphans = { ...this.#needs, log: this.#log, calls: this.#calls, modelGoes: true };
      if (environ.storage && view.get('sequence', 'storage'))
        await endOrphans(orphans, environ.storage, signal);
      await environ.destroyModel(signal);
    } catch (error) {
      signal.throwIfAborted();
      const message = error instanceof Error ? error.message : String(error);
      await this.#change((tx) => reportModelUnreleased(tx, message));
      throw error;
    }
  }

  #read(): View {
    return this.#needs.store.read().in(this.#needs.modelUuid);
  }

  #change<T>(fn: (tx: Tx) => T): Promise<T> {
    return this.#needs.store.change((root) => fn(root.in(this.#needs.modelUuid)), by);
  }
}

/** Rest of the model's deadline, which applies to everything in it. */
function remaining(tx: Tx, { force }: ModelDoc): { force?: ForceRequest } {
  if (!force) return {};
  return { force: { maxWaitMs: Date.parse(force.deadline) - Date.parse(tx.now), by: force.by } };
}

function idOf(doc: ApplicationDoc | MachineDoc): string {
  return 'name' in doc ? doc.name : doc.id;
}
