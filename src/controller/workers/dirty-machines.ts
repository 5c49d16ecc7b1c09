import type { Entities, Kind } from '../../core/kinds.ts';
import { DirtyIds } from '../../kit/dirty-ids.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import type { View } from '../transactions/tx.ts';

/**
 * Maps a kind to the machines that a changed document of it concerns. The function is called with the old and with the
 * new document, each time with the other one and whether it was removed; it returns `none` for changes not worth a
 * look.
 */
export type Concerns = {
  readonly [P in Kind]?: (
    doc: Entities[P],
    view: View,
    other: Entities[P] | undefined,
    isRemoved: boolean,
  ) => Iterable<string>;
};

export const noMachines: readonly string[] = [];

interface Needs {
  readonly store: Store<Entities>;
  readonly services: Pick<Services, 'dispatch' | 'nextTurn'>;
  readonly modelUuid: string;
  readonly concerns: Concerns;
}

/** Machines of a model that a worker has to look at. */
export class DirtyMachines extends DirtyIds {
  readonly stop: () => void;

  constructor(needs: Needs & { readonly wake: () => void }) {
    super(() => [...needs.store.read().in(needs.modelUuid).list('machine')].map(({ id }) => id));
    this.stop = listen(needs, (ids) => {
      if (this.add(ids) > 0) needs.wake();
    });
  }
}

/**
 * Reports the machines that changes concern, those of two turns together: one deploy may change 20,000, and its answer
 * and the requests that came meanwhile go first. Returns a function that ends it.
 */
export function watchMachines(needs: Needs, onIds: (ids: Iterable<string>) => void): () => void {
  const { nextTurn } = needs.services;
  let collected: Set<string> | undefined;
  const end = listen(needs, (ids) => {
    if (!collected) {
      const batch = (collected = new Set());
      const report = (): void => {
        if (collected !== batch) return;
        collected = undefined;
        onIds(batch);
      };
      nextTurn(() => nextTurn(report));
    }
    for (const id of ids) collected.add(id);
  });
  return () => {
    end();
    collected = undefined;
  };
}

/** Listens to changes; called for each document that changes, so it has to be cheap. */
function listen(
  { store, services, modelUuid, concerns }: Needs,
  onIds: (ids: Iterable<string>) => void,
): () => void {
  const view = store.read().in(modelUuid);
  const subscriptions = (Object.keys(concerns) as (keyof Concerns)[]).map((kind) => {
    const machinesOf = concerns[kind]!;
    const report = (doc: unknown, other: unknown, isRemoved: boolean): void => {
      const ids = machinesOf(doc as never, view, other as never, isRemoved);
      if (!Array.isArray(ids) || ids.length > 0) onIds(ids);
    };
    return services.dispatch.on(modelUuid, kind, ({ before, after }) => {
      if (before) report(before, after, !after);
      if (after) report(after, before, false);
    });
  });
  return () => {
    for (const end of subscriptions) end();
  };
}
