import type { Entry } from '../mirror/entry-set.ts';
import type { JournalChange } from '../mirror/journal.ts';
import { deepFreeze } from '../mirror/json.ts';
import type { LongMember, LongValues } from '../mirror/long-values.ts';

export type Row = Record<string, unknown>;

/** The columns of rows `e` with the row before each, `p`. */
export const withPrevious = `e.seq, e.revision, e.prev, e.born, e.space, e.kind, e.id, e.doc, e.long,
  p.doc AS prev_doc, p.long AS prev_long, p.revision AS prev_revision, p.born AS prev_born`;

/** A row with the one before it, as `prev_doc`, `prev_revision` and `prev_born`. */
export function asChange(row: Row, values: LongValues): JournalChange {
  const { doc, prev_doc: prevDoc } = row as { doc: string | null; prev_doc: string | null };
  const before: Row = {
    id: row['id'],
    revision: row['prev_revision'],
    seq: row['prev'],
    born: row['prev_born'],
    long: row['prev_long'],
  };
  return {
    space: row['space'] as string,
    kind: row['kind'] as string,
    id: row['id'] as string,
    seq: row['seq'] as number,
    before: prevDoc === null ? undefined : asEntry(before, prevDoc, values),
    after: doc === null ? undefined : asEntry(row, doc, values),
  };
}

export function asEntry(row: object, text: string, values: LongValues): Entry {
  const {
    id,
    revision,
    seq,
    born,
    long: refs,
  } = row as Omit<Entry, 'doc' | 'long'> & { long: string | null };
  const inline = deepFreeze(JSON.parse(text) as object);
  const long = refs === null ? undefined : parseLong(refs);
  return { id, doc: long ? values.join(inline, long) : inline, long, revision, seq, born };
}

/** `{"charm":["<sha256>",2097152]}` */
export function longJson(long: readonly LongMember[]): string {
  return JSON.stringify(Object.fromEntries(long.map(({ member, hash, size }) => [member, [hash, size]])));
}

function parseLong(text: string): LongMember[] {
  const refs = Object.entries(JSON.parse(text) as Record<string, [string, number]>);
  return refs.map(([member, [hash, size]]) => ({ member, hash, size, text: undefined }));
}
