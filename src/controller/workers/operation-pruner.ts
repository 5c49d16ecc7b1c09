/** Forgets operations that have ended, with their tasks, as the model's max-action-results-age and -size say. */
import type { Entities } from '../../core/kinds.ts';
import type { ModelDoc } from '../../core/model/document.ts';
import type { OperationDoc } from '../../core/operation/document.ts';
import { mergedModelConfig } from '../../core/model/config.ts';
import { isOpen } from '../../core/task/document.ts';
import { planPruning, pruningSettings, type KeptOperation } from '../../core/plan-pruning.ts';
import { Timetable } from '../../kit/timetable.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { inBatches } from './in-batches.ts';

const by = 'operation-pruner';
const everyMs = 24 * 3_600_000;
/** After a start of the controller, which has enough to do; one that never runs for a day prunes, too. */
const firstMs = 5 * 60_000;
/** Tasks that are looked at, or removed, in one turn. */
const batch = 500;
const settings = ['max-action-results-age', 'max-action-results-size'];

export function createOperationPruner(needs: {
  readonly store: Store<Entities>;
  readonly services: Pick<Services, 'clock' | 'dispatch' | 'log' | 'nextTurn'>;
  readonly modelUuid: string;
  readonly wake: () => void;
}): {
  /** Returns milliseconds until the next look. */
  pass: (signal: AbortSignal) => Promise<number | undefined>;
  stop: () => void;
} {
  const { store, services, modelUuid } = needs;
  const { clock } = services;
  const log = services.log.module('grigri.operation-pruner');
  const view = store.read().in(modelUuid);
  const due = new Timetable();
  due.set('look', firstMs, clock.now());
  const stop = services.dispatch.on('', `model ${modelUuid}`, ({ before: was, after: is }) => {
    if (settings.every((key) => was?.config[key] === is?.config[key])) return;
    due.set('look', 0, clock.now());
    needs.wake();
  });

  const pause = async (signal: AbortSignal): Promise<void> => {
    await new Promise<void>((resolve) => services.nextTurn(resolve));
    signal.throwIfAborted();
  };

  /** Every operation, the oldest first. */
  async function look(signal: AbortSignal): Promise<KeptOperation[]> {
    const kept: KeptOperation[] = [];
    let looks = 0;
    for (const operation of view.list('operation')) {
      const { id, enqueued } = operation;
      let bytes = store.held(modelUuid, { kind: 'operation', id });
      let ended = Date.parse(enqueued);
      let isDone = true;
      for (const name of operation.tasks) {
        if (++looks % batch === 0) await pause(signal);
        const task = view.get('task', name);
        if (!task) continue;
        bytes += store.held(modelUuid, { kind: 'task', id: name });
        isDone &&= !isOpen(task);
        ended = Math.max(ended, Date.parse(task.completed ?? task.enqueued));
      }
      if (++looks % batch === 0) await pause(signal);
      kept.push({ id, bytes, ...(isDone ? { ended } : {}) });
    }
    return kept;
  }

  /** The record itself comes last: what a crash left in between is found by it. */
  function* documentsOf(ids: readonly string[]): Iterable<{ kind: 'operation' | 'task'; id: string }> {
    for (const id of ids) {
      const operation: OperationDoc | undefined = view.get('operation', id);
      for (const task of operation?.tasks ?? []) yield { kind: 'task', id: task };
      yield { kind: 'operation', id };
    }
  }

  async function prune(model: ModelDoc, signal: AbortSignal): Promise<void> {
    const ids = planPruning(
      await look(signal),
      pruningSettings(mergedModelConfig(model.config)),
      clock.now(),
    );
    if (ids.length === 0) return;
    await inBatches(documentsOf(ids), batch, signal, async (documents) => {
      await store.change((root) => {
        for (const { kind, id } of documents) root.in(modelUuid).remove(kind, id);
      }, by);
      await pause(signal);
    });
    log.info('old operations removed, as max-action-results-age and -size say', { operations: ids.length });
  }

  return {
    async pass(signal) {
      const model = store.read().get('model', modelUuid);
      // All that a dying model has goes with it.
      if (model?.life !== 'alive') return undefined;
      if (due.take(clock.now()).length > 0) {
        due.set('look', everyMs, clock.now());
        try {
          await prune(model, signal);
        } catch (error) {
          due.set('look', 0, clock.now());
          throw error;
        }
      }
      return due.untilNext(clock.now());
    },
    stop,
  };
}
