/**
 * Carries one model to another controller (migration.md#phases). Each step may be repeated; what is decided is in the
 * migration's document, so that a controller that was killed goes on where it was.
 */
import { textSetting } from '../../core/controller/config.ts';
import { parseDuration } from '../../core/duration.ts';
import { hasCode, JujuError } from '../../core/errors.ts';
import type { MigrationDoc } from '../../core/migration/document.ts';
import { isActive, migrationId, type Phase } from '../../core/migration/phases.ts';
import { precheck } from '../../core/migration/precheck.ts';
import type { Log } from '../../kit/log.ts';
import { describeLeaving } from '../migration/export-model.ts';
import { countLeaving } from '../migration/leaving-documents.ts';
import { sendConsumersAfter } from '../migration/send-consumers-after.ts';
import { sendModel } from '../migration/send-model.ts';
import { MigrationTarget } from '../migration/target.ts';
import type { Services } from '../services.ts';
import {
  enterPhase,
  forgetMoved,
  noteAddresses,
  noteAsked,
  tellMigration,
} from '../transactions/change/advance-migration.ts';
import { documentsOf, removeDocuments } from '../transactions/end/remove-model.ts';
import type { Tx } from '../transactions/tx.ts';
import { inBatches } from './in-batches.ts';
import type { ModelWorker, WorkerNeeds } from './model-worker.ts';

const by = 'migration-master';
/** Time without the target after which a migration that is not decided is given up: the model waits meanwhile. */
const lostMs = 60_000;
/** Time for which the target is told that a migration was given up; later it forgets what has arrived by itself. */
const abortMs = 600_000;
const pollMs = 500;
const retryMs = 2_000;
const documentsAtOnce = 500;

interface MigratorNeeds extends WorkerNeeds<keyof Services> {
  /** Waits until the model's workers, which act on its machines, have ended. */
  readonly workersEnded: () => Promise<void>;
}

export class Migrator implements ModelWorker {
  readonly #needs: MigratorNeeds;
  readonly #log: Log;
  #target: MigrationTarget | undefined;
  /** Time of the first attempt that has not reached the target. */
  #lostSince: number | undefined;

  constructor(needs: MigratorNeeds) {
    this.#needs = needs;
    this.#log = needs.services.log.module('grigri.migration-master');
  }

  async pass(signal: AbortSignal): Promise<number | void> {
    try {
      for (;;) {
        const doc = this.#needs.store.read().get('migration', this.#needs.modelUuid);
        if (!doc || !isActive(doc)) return;
        this.#target ??= new MigrationTarget(this.#needs.services, doc.target, signal);
        const wait = await this.#attempt(doc, this.#target, signal);
        if (wait !== undefined) return wait;
      }
    } finally {
      await this.#target?.close();
      this.#target = undefined;
    }
  }

  /** Makes a step; returns the time after which it is tried again, undefined when the next one may follow. */
  async #attempt(
    doc: MigrationDoc,
    target: MigrationTarget,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    try {
      const wait = await this.#step(doc, target, signal);
      this.#lostSince = undefined;
      return wait;
    } catch (error) {
      signal.throwIfAborted();
      this.#log.warning('migration waits', { model: doc.model, phase: doc.phase, error });
      // An error of ours must not keep the model from changing without end either.
      const { message } = error as Error;
      const told = error instanceof JujuError ? error : new JujuError('try again', message);
      return this.#onError(doc, told, target);
    }
  }

  #step(doc: MigrationDoc, target: MigrationTarget, signal: AbortSignal): Promise<number | undefined> {
    switch (doc.phase) {
      case 'QUIESCE':
        return this.#quiesce(doc, target);
      case 'IMPORT':
        return this.#import(doc, target);
      case 'VALIDATION':
        return doc.asked ? this.#activate(doc, target) : this.#validate(doc);
      case 'SUCCESS':
        return this.#adopt(doc, target);
      case 'REAP':
        return this.#reap(doc, signal);
      case 'ABORT':
        return this.#abort(doc, target);
      case 'DONE':
      case 'ABORTDONE':
        return Promise.resolve(undefined);
    }
  }

  /**
   * What follows an error. Before the target was asked, the migration is given up when the target refuses, or is not
   * reached for a while; afterwards only when the target confirms that it does not have the model.
   */
  async #onError(doc: MigrationDoc, error: JujuError, target: MigrationTarget): Promise<number | undefined> {
    const { clock } = this.#needs.services;
    const isLost = hasCode(error, 'try again');
    if (isLost) this.#lostSince ??= clock.now();
    const patience = Math.min(lostMs, this.#agentsWaitMs());
    const isLong = this.#lostSince !== undefined && clock.now() - this.#lostSince > patience;
    const undecided = doc.phase === 'QUIESCE' || doc.phase === 'IMPORT' || doc.phase === 'VALIDATION';
    const isGivenUp = doc.asked ? !isLost && (await this.#isAborted(doc, target)) : !isLost || isLong;
    if (undecided && isGivenUp) {
      await this.#enter(doc, 'ABORT', error.message);
      return undefined;
    }
    if (doc.phase === 'ABORT' && (!isLost || clock.now() - Date.parse(doc.phaseAt) > abortMs)) {
      await this.#enter(doc, 'ABORTDONE', doc.message);
      return undefined;
    }
    await this.#change((root) => tellMigration(root, doc, waiting(doc, error)));
    return retryMs;
  }

  /**
   * Whether the target has given up the model. Another refusal, as of the login, does not say whether it took the model
   * in: then both would have it.
   */
  #isAborted(doc: MigrationDoc, target: MigrationTarget): Promise<boolean> {
    const aborted = target.call('Abort', { model: doc.model, migration: migrationId(doc) });
    return aborted.then(
      () => true,
      () => false,
    );
  }

  /** The model does not change any more: it is checked once more, now that what is found stays true. */
  async #quiesce(doc: MigrationDoc, target: MigrationTarget): Promise<undefined> {
    const { store } = this.#needs;
    await this.#needs.workersEnded();
    const root = store.read();
    const model = root.get('model', doc.model);
    const problem = model
      ? precheck(root.in(doc.model), {
          model,
          isControllers: root.get('controller', 'self')?.modelUuid === doc.model,
          // Agents that are away for a moment are waited for when they try the target.
          isPresent: () => true,
        })
      : 'the model is gone';
    if (problem !== undefined) throw new JujuError('', problem);
    const { addresses } = await target.call('Prechecks', describeLeaving(this.#needs, doc));
    await this.#change((tx) => noteAddresses(tx, doc, addresses));
    await this.#enter(doc, 'IMPORT', 'importing model into target controller');
    return undefined;
  }

  async #import(doc: MigrationDoc, target: MigrationTarget): Promise<undefined> {
    await sendModel(this.#needs, doc, target);
    await this.#enter(doc, 'VALIDATION', 'waiting for the agents to reach the target controller');
    return undefined;
  }

  /** Waits for the agents: each tries to log in to the target, and reports. */
  async #validate(doc: MigrationDoc): Promise<number | undefined> {
    const { store, services } = this.#needs;
    const root = store.read();
    const missing = [...root.in(doc.model).list('machine')].flatMap(({ id }) => {
      const problem = services.trials.of(migrationId(doc), id);
      return problem === '' ? [] : [{ id, problem: problem ?? 'its agent has not answered' }];
    });
    const [first] = missing;
    if (!first) {
      await this.#change((tx) => noteAsked(tx, doc));
      return undefined;
    }
    if (services.clock.now() - Date.parse(doc.phaseAt) > this.#agentsWaitMs())
      throw new JujuError(
        '',
        `${missing.length} machines do not reach the target controller, such as ${first.id}: ${first.problem}`,
      );
    return pollMs;
  }

  async #activate(doc: MigrationDoc, target: MigrationTarget): Promise<undefined> {
    const documents = countLeaving(this.#needs.store.read().in(doc.model));
    await target.call('Activate', { model: doc.model, migration: migrationId(doc), documents });
    await this.#enter(doc, 'SUCCESS', 'the target controller takes over the machines');
    return undefined;
  }

  async #adopt(doc: MigrationDoc, target: MigrationTarget): Promise<undefined> {
    await sendConsumersAfter(this.#needs, doc);
    await target.call('AdoptResources', { model: doc.model, migration: migrationId(doc) }).catch((error) => {
      // The model was taken over, and has been destroyed or migrated on since.
      if (!hasCode(error, 'not found')) throw error;
    });
    await this.#enter(doc, 'REAP', 'removing the model from this controller');
    return undefined;
  }

  async #reap(doc: MigrationDoc, signal: AbortSignal): Promise<undefined> {
    const { store, services } = this.#needs;
    do
      await inBatches(documentsOf(store.read().in(doc.model)), documentsAtOnce, signal, (documents) =>
        this.#change((root) => removeDocuments(root.in(doc.model), documents)),
      );
    while (!(await this.#change((root) => forgetMoved(root, doc))));
    services.logs.remove(doc.model);
    services.trials.forget(migrationId(doc));
    return undefined;
  }

  async #abort(doc: MigrationDoc, target: MigrationTarget): Promise<undefined> {
    this.#needs.services.trials.forget(migrationId(doc));
    await target.call('Abort', { model: doc.model, migration: migrationId(doc) });
    await this.#enter(doc, 'ABORTDONE', doc.message);
    return undefined;
  }

  /** Milliseconds for which agents are waited for. */
  #agentsWaitMs(): number {
    const { config = {} } = this.#needs.store.read().get('controller', 'self') ?? {};
    return parseDuration(textSetting(config, 'migration-agent-wait-time'));
  }

  async #enter(doc: MigrationDoc, phase: Phase, message: string): Promise<void> {
    await this.#change((root) => enterPhase(root, doc, phase, message));
    this.#log.info('migration', { model: doc.model, phase, message });
  }

  #change<T>(fn: (root: Tx) => T): Promise<T> {
    return this.#needs.store.change(fn, by);
  }
}

/** What is told of a migration that waits for the target. */
function waiting({ phase, asked, message }: MigrationDoc, error: JujuError): string {
  if (phase === 'ABORT') return message;
  return asked ? `waiting for the answer of ${error.message}` : `waiting for ${error.message}`;
}
