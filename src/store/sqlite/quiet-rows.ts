import type { DatabaseSync } from 'node:sqlite';
import type { RowHead } from './load-rows.ts';

/** Kind → whether a change is quiet; see SqliteStoreOptions.quiet. */
export type Quiet = Readonly<
  Record<string, ((before: object | undefined, after: object | undefined) => boolean) | undefined>
>;

/** Returns whether a row is quiet. Rows of an older version do not say so themselves. */
export function quietRows(db: DatabaseSync, quiet: Quiet): (row: RowHead) => boolean {
  const select = db.prepare(
    'SELECT e.doc AS after, p.doc AS before FROM entry e LEFT JOIN entry p ON p.seq = e.prev WHERE e.seq = ?',
  );
  const parsed = (doc: unknown): object | undefined =>
    typeof doc === 'string' ? (JSON.parse(doc) as object) : undefined;
  return ({ kind, quiet: said, seq }) => {
    const isQuiet = quiet[kind];
    if (!isQuiet) return false;
    if (said !== null) return said === 1;
    const { before, after } = select.get(seq)!;
    return isQuiet(parsed(before), parsed(after));
  };
}
