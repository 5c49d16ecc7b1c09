import type { Entities, Kind } from '../../core/entities.ts';
import { DirtyIds } from '../../kit/dirty-ids.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import type { View } from '../transactions/tx.ts';

/**
 * Kind → the machines that a changed document of it concerns; asked for what it was and for what it is, with the other
 * of the two, since not every change of it is worth a look.
 */
export type Concerns = {
  readonly [P in Kind]?: (doc: Entities[P], view: View, other: Entities[P] | undefined) => Iterable<string>;
};

interface Needs {
  readonly store: Store<Entities>;
  readonly services: Pick<Services, 'dispatch'>;
  readonly modelUuid: string;
  readonly concerns: Concerns;
}

/** The machines of a model that a worker has to look at. */
export class DirtyMachines extends DirtyIds {
  readonly stop: () => void;

  constructor(needs: Needs & { readonly wake: () => void }) {
    super(() => [...needs.store.read().in(needs.modelUuid).list('machine')].map(({ id }) => id));
    this.stop = watchMachines(needs, (ids) => {
      this.add(ids);
      needs.wake();
    });
  }
}

/** Says which machines a change concerns. Returns what ends it. */
export function watchMachines(
  { store, services, modelUuid, concerns }: Needs,
  onIds: (ids: readonly string[]) => void,
): () => void {
  const ends = Object.entries(concerns).map(([kind, machinesOf]) =>
    services.dispatch.on(modelUuid, kind, ({ before, after }) => {
      const view = store.read().in(modelUuid);
      const of = (doc: unknown, other: unknown): string[] =>
        doc ? [...machinesOf(doc as never, view, other as never)] : [];
      const ids = [...of(before, after), ...of(after, before)];
      if (ids.length > 0) onIds(ids);
    }),
  );
  return () => {
    for (const end of ends) end();
  };
}
