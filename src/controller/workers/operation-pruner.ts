/** Removes ended operations with their tasks, according to the model's max-action-results-age and -size. */
import type { ModelDoc } from '../../core/model/document.ts';
import type { OperationDoc } from '../../core/operation/document.ts';
import { mergedModelConfig } from '../../core/model/config.ts';
import { isOpen } from '../../core/task/document.ts';
import { planPruning, pruningSettings, type KeptOperation } from '../../core/plan-pruning.ts';
import type { Log } from '../../kit/log.ts';
import { Timetable } from '../../kit/timetable.ts';
import { forgetOperations } from '../transactions/end/forget-operations.ts';
import type { View } from '../transactions/tx.ts';
import { inBatches } from './in-batches.ts';
import type { ModelWorker, WorkerNeeds } from './model-worker.ts';
import { defined } from '../../core/defined.ts';

const by = 'operation-pruner';
const intervalMs = 24 * 3_600_000;
/**
 * Delay of the first pass after a start of the controller, which is busy then; short enough that a controller that
 * never runs for a day prunes too.
 */
const firstDelayMs = 5 * 60_000;
/** Number of tasks that are looked at, or removed, in one turn. */
const batch = 500;
const settings = ['max-action-results-age', 'max-action-results-size'];

type Needs = WorkerNeeds<'clock' | 'dispatch' | 'log' | 'nextTurn'>;

export class OperationPruner implements ModelWorker {
  readonly #needs: Needs;
  readonly #log: Log;
  readonly #view: View;
  readonly #timetable = new Timetable();
  readonly stop: () => void;

  constructor(needs: Needs) {
    this.#needs = needs;
    const { clock, dispatch, log } = needs.services;
    this.#log = log.module('grigri.operation-pruner');
    this.#view = needs.store.read().in(needs.modelUuid);
    this.#timetable.set('look', firstDelayMs, clock.now());
    this.stop = dispatch.on('', `model ${needs.modelUuid}`, ({ before, after }) => {
      if (settings.every((key) => before?.config[key] === after?.config[key])) return;
      this.#timetable.set('look', 0, clock.now());
      needs.wake();
    });
  }

  /** Prunes. Returns milliseconds until the next look. */
  async pass(signal: AbortSignal): Promise<number | undefined> {
    const { store, services, modelUuid } = this.#needs;
    const { clock } = services;
    const model = store.read().get('model', modelUuid);
    // A dying model's operations go with it.
    if (model?.life !== 'alive') return undefined;
    if (this.#timetable.take(clock.now()).length > 0) {
      this.#timetable.set('look', intervalMs, clock.now());
      try {
        await this.#prune(model, signal);
      } catch (error) {
        this.#timetable.set('look', 0, clock.now());
        throw error;
      }
    }
    return this.#timetable.untilNext(clock.now());
  }

  async #prune(model: ModelDoc, signal: AbortSignal): Promise<void> {
    const { store, services, modelUuid } = this.#needs;
    const kept = await this.#readOperations(signal);
    const ids = planPruning(kept, pruningSettings(mergedModelConfig(model.config)), services.clock.now());
    if (ids.length === 0) return;
    await inBatches(this.#documentsOf(ids), batch, signal, async (documents) => {
      await store.change((root) => forgetOperations(root.in(modelUuid), documents), by);
      await this.#pause(signal);
    });
    this.#log.info('old operations removed (max-action-results-age, max-action-results-size)', {
      operations: ids.length,
    });
  }

  /** All operations, the oldest first. */
  async #readOperations(signal: AbortSignal): Promise<KeptOperation[]> {
    const { store, modelUuid } = this.#needs;
    const kept: KeptOperation[] = [];
    let lookups = 0;
    for (const operation of this.#view.list('operation')) {
      const { id, enqueued } = operation;
      let bytes = store.held(modelUuid, { kind: 'operation', id });
      let ended = Date.parse(enqueued);
      let isDone = true;
      for (const name of operation.tasks) {
        if (++lookups % batch === 0) await this.#pause(signal);
        const task = this.#view.get('task', name);
        if (!task) continue;
        bytes += store.held(modelUuid, { kind: 'task', id: name });
        isDone &&= !isOpen(task);
        ended = Math.max(ended, Date.parse(task.completed ?? task.enqueued));
      }
      if (++lookups % batch === 0) await this.#pause(signal);
      kept.push({ id, bytes, ...defined({ ended: isDone ? ended : undefined }) });
    }
    return kept;
  }

  /**
   * Documents to remove, the operation's record last: after a crash in between, it leads to the documents that are
   * left.
   */
  *#documentsOf(ids: readonly string[]): Iterable<{ kind: 'operation' | 'task'; id: string }> {
    for (const id of ids) {
      const operation: OperationDoc | undefined = this.#view.get('operation', id);
      for (const task of operation?.tasks ?? []) yield { kind: 'task', id: task };
      yield { kind: 'operation', id };
    }
  }

  async #pause(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => this.#needs.services.nextTurn(resolve));
    signal.throwIfAborted();
  }
}
