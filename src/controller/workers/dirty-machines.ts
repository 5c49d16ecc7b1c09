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
      if (this.add(ids) > 0) needs.wake();
    });
  }
}

/** Says which machines, if any, a change concerns: cheaply, as one deploy may be 20,000. Returns what ends it. */
export function watchMachines(
  { store, services, modelUuid, concerns }: Needs,
  onIds: (ids: Iterable<string>) => void,
): () => void {
  const view = store.read().in(modelUuid);
  const ends = Object.entries(concerns).map(([kind, machinesOf]) =>
    services.dispatch.on(modelUuid, kind, ({ before, after }) => {
      if (before) onIds(machinesOf(before as never, view, after as never));
      if (after) onIds(machinesOf(after as never, view, before as never));
    }),
  );
  return () => {
    for (const end of ends) end();
  };
}
