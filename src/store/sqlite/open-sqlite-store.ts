import type { DatabaseSync } from 'node:sqlite';
import { MirroredStore, type MirroredStoreOptions } from '../mirror/mirrored-store.ts';
import type { Indexes, KindOf, Store } from '../store.ts';
import { openDatabase } from './open-database.ts';
import { hideDamaged } from './repair.ts';
import { DamagedRow } from './rows.ts';
import { schema } from './schema.ts';
import { unreadable } from './store-problem.ts';
import type { Quiet } from './quiet-rows.ts';
import { SqliteJournal, type FindBy } from './sqlite-journal.ts';

interface SqliteStoreOptions<K> extends Omit<MirroredStoreOptions<K>, 'journal' | 'indexes'> {
  /** The database file; it and its folder are created when they do not exist, readable by their owner only. */
  readonly path: string;
  readonly indexes: Indexes<K>;
  /** Maximum length of the file; beyond it changes fail as on a full disk. Default: no limit. */
  readonly maxBytes?: number;
  /** Bytes of the log that opening takes from the disk; default: what a checkpoint needs. */
  readonly logBytes?: number;
  /** Memory that the documents may take, in bytes. Default: what the process may have. */
  readonly memoryBytes?: number;
  /** Number of revisions of history that are kept; default 100,000, at least 1. */
  readonly retention?: {
    readonly revisions: number;
    /** Bytes of long values that only the history refers to; default 256 MiB. */
    readonly valueBytes?: number;
  };
  /**
   * Whether a change is quiet: nobody queries it, like the renewal of a lease. `past` may skip quiet changes and
   * everything between two values of a document that differ by so little; `at` includes them.
   */
  readonly quiet?: {
    readonly [P in KindOf<K>]?: (before: K[P] | undefined, after: K[P] | undefined) => boolean;
  };
  /** Indexes that `removed` can query: each costs a row per removed document. Default: none. */
  readonly findRemovedBy?: { readonly [P in KindOf<K>]?: readonly string[] };
  /** Number of new documents of a change that are written as one row; see packs.ts. */
  readonly documentsOfPack?: number;
}

/**
 * Opens the embedded store. One process at a time may have it open. When it cannot be written to (a full disk), or
 * rows of it are damaged, it is read-only and `problem` says why. Errors: a plain Error when another process has it
 * open, when a newer version of the program has written it, or when its documents need more memory than there may be.
 */
export function openSqliteStore<K>(options: SqliteStoreOptions<K>): Store<K> {
  const { path, maxBytes, logBytes, memoryBytes, retention, findRemovedBy, quiet, documentsOfPack, ...rest } =
    options;
  const { db, problem } = openDatabase({ path, steps: schema, maxBytes, logBytes });
  const open = (problem: string | undefined, isDamaged: boolean): Store<K> => {
    const journal = new SqliteJournal({
      path,
      db,
      problem,
      isDamaged,
      memoryBytes,
      revisionsKept: Math.max(1, retention?.revisions ?? 100_000),
      pastValues: retention?.valueBytes,
      quiet: (quiet ?? {}) as Quiet,
      documentsOfPack,
      findBy: functionsOf(
        options.indexes as FindBy,
        (findRemovedBy ?? {}) as Record<string, readonly string[]>,
      ),
    });
    return new MirroredStore<K>({ ...rest, journal });
  };
  try {
    try {
      return open(problem, false);
    } catch (error) {
      if (!(error instanceof Error && error.cause instanceof DamagedRow)) throw error;
      hide(db, error);
      return open(error.message, true);
    }
  } catch (error) {
    db.close();
    throw unreadable(path, error);
  }
}

/** Hides damaged rows. Errors: the damage's own when it cannot be hidden. */
function hide(db: DatabaseSync, damage: Error): void {
  try {
    hideDamaged(db);
  } catch {
    throw damage;
  }
}

function functionsOf(indexes: FindBy, names: Readonly<Record<string, readonly string[]>>): FindBy {
  return Object.fromEntries(
    Object.entries(names).map(([kind, wanted]) => [
      kind,
      Object.fromEntries(Object.entries(indexes[kind] ?? {}).filter(([index]) => wanted.includes(index))),
    ]),
  );
}
