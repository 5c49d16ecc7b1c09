import type { Entities, Kind } from '../../core/entities.ts';
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

/**
 * The machines that a worker has to look at: all of them at first, later those that a change concerns, so that a
 * pass costs what changed and not what there is. What a failed pass had taken is given back.
 */
export class DirtyMachines {
  readonly #store: Store<Entities>;
  readonly #modelUuid: string;
  readonly #ends: (() => void)[];
  #ids: Set<string> | 'all' = 'all';

  constructor(needs: {
    store: Store<Entities>;
    services: Pick<Services, 'dispatch'>;
    modelUuid: string;
    concerns: Concerns;
    wake: () => void;
  }) {
    this.#store = needs.store;
    this.#modelUuid = needs.modelUuid;
    this.#ends = Object.entries(needs.concerns).map(([kind, machinesOf]) =>
      needs.services.dispatch.on(needs.modelUuid, kind, ({ before, after }) => {
        const view = this.#view();
        const of = (doc: unknown, other: unknown): string[] =>
          doc ? [...machinesOf(doc as never, view, other as never)] : [];
        const ids = [...of(before, after), ...of(after, before)];
        if (ids.length === 0) return;
        this.add(ids);
        needs.wake();
      }),
    );
  }

  /** Returns how many there were. */
  add(ids: Iterable<string>): number {
    let count = 0;
    for (const id of ids) {
      count++;
      if (this.#ids !== 'all') this.#ids.add(id);
    }
    return count;
  }

  /** Hands out what there is, `all` = at the first time; when `fn` throws, it is to be looked at again. */
  async take(fn: (ids: readonly string[], all: boolean) => Promise<void>): Promise<void> {
    const taken = this.#ids;
    this.#ids = new Set();
    try {
      const ids =
        taken === 'all' ? [...this.#view().list('machine')].map((machine) => machine.id) : [...taken];
      await fn(ids, taken === 'all');
    } catch (error) {
      if (taken === 'all') this.#ids = 'all';
      else this.add(taken);
      throw error;
    }
  }

  stop(): void {
    for (const end of this.#ends) end();
  }

  #view(): View {
    return this.#store.read().in(this.#modelUuid);
  }
}
