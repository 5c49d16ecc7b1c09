import type { Entry } from '../mirror/entry-set.ts';
import type { JournalChange } from '../mirror/journal.ts';
import { deepFreeze } from '../mirror/json.ts';

export type Row = Record<string, unknown>;

/** A row with the one before it, as `prev_doc`, `prev_revision` and `prev_born`. */
export function asChange(row: Row): JournalChange {
  const { doc, prev_doc: prevDoc } = row as { doc: string | null; prev_doc: string | null };
  const before: Row = {
    id: row['id'],
    revision: row['prev_revision'],
    seq: row['prev'],
    born: row['prev_born'],
  };
  return {
    space: row['space'] as string,
    kind: row['kind'] as string,
    id: row['id'] as string,
    seq: row['seq'] as number,
    before: prevDoc === null ? undefined : asEntry(before, prevDoc),
    after: doc === null ? undefined : asEntry(row, doc),
  };
}

export function asEntry(row: object, doc: string): Entry {
  const { id, revision, seq, born } = row as Omit<Entry, 'doc'>;
  return { id, doc: deepFreeze(JSON.parse(doc) as object), revision, seq, born };
}
