/** Backends that the contract's tests run over. A backend opens a store, repeatedly. */
import { join } from 'node:path';
import { openSqliteStore } from '../../store/sqlite/open-sqlite-store.ts';
import type { Admit, Indexes, Permit, Store } from '../../store/store.ts';
import { defined } from '../../core/defined.ts';

export interface Pet {
  readonly name: string;
  readonly owner?: string;
  readonly tags?: readonly string[];
  readonly age?: number;
}
export interface Kinds {
  readonly pet: Pet;
  readonly toy: { readonly n: number };
}
const indexes: Indexes<Kinds> = { pet: { owner: (pet) => pet.owner, tag: (pet) => pet.tags } };

export interface Options {
  readonly revisions?: number;
  /** Bytes of long values that only the history refers to. */
  readonly valueBytes?: number;
  readonly onWatcherError?: (error: unknown) => void;
  readonly now?: () => number;
  readonly admit?: Admit<Kinds>;
  readonly permit?: Permit<Kinds>;
}
/** Opens a store; the same folder gives the same store again. */
export type Open = (folder: string, options?: Options) => Store<Kinds>;

export const backends: readonly { name: string; open: Open }[] = [
  { name: 'sqlite', open: sqlite() },
  { name: 'sqlite with packs of two', open: sqlite(2) },
  { name: 'sqlite with packs of one', open: sqlite(1) },
];

function sqlite(documentsOfPack?: number): Open {
  return (folder, { revisions, valueBytes, onWatcherError, now, admit, permit } = {}) =>
    openSqliteStore<Kinds>({
      path: join(folder, 'store.db'),
      logBytes: 0,
      indexes,
      now: now ?? (() => Date.UTC(2026, 0, 2, 3, 4, 5, 6)),
      newUuid: () => 'uuid-1',
      findRemovedBy: { pet: ['owner', 'tag'] },
      retention: {
        revisions: revisions ?? 100_000,
        ...defined({ valueBytes }),
      },
      ...defined({ admit, permit, onWatcherError, documentsOfPack }),
    });
}
