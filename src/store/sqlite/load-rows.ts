import type { DatabaseSync } from 'node:sqlite';
import type { Entry } from '../mirror/entry-set.ts';
import type { LongValues } from '../mirror/long-values.ts';
import { asEntry } from './rows.ts';
import { sqliteCorrupt } from './store-problem.ts';

/** A row without its document. */
export interface RowHead {
  readonly seq: number;
  readonly revision: number;
  readonly born: number;
  readonly space: string;
  readonly kind: string;
  readonly id: string;
  readonly isRemoval: boolean;
  /** Was it quiet when it was written? Absent = a version wrote it that did not say. */
  readonly quiet: number | null;
  readonly sum: number | null;
  readonly long: string | null;
  /** The document, when it is short; whoever keeps many of these may forget it. */
  text: string | null;
}

/** Longer documents are not read with their heads: those of the history are not needed. */
const shortMax = 2048;

/**
 * All rows in their order, page by page. Pages of arrays: a third of the time that an iterator of objects takes. A space
 * or a kind that is the same as in the row where the page before ended comes as null: text is most of what reading costs.
 */
export function* rowHeads(db: DatabaseSync): Iterable<readonly RowHead[]> {
  // octet_length looks at the row's head only: however long the document is, it is not read.
  const page = db.prepare(
    `SELECT seq, revision, born, nullif(space, ?2), nullif(kind, ?3), id, quiet, sum, long,
       CASE WHEN octet_length(doc) > ${shortMax} THEN 0 ELSE doc END
     FROM entry WHERE seq > ?1 ORDER BY seq LIMIT ${headsAtOnce}`,
  );
  page.setReturnArrays(true);
  let last: Pick<RowHead, 'seq' | 'space'> & { readonly kind: string | null } = {
    seq: -1,
    space: '',
    kind: null,
  };
  for (;;) {
    const { seq, space, kind } = last;
    const rows = page.all(seq, space, kind) as unknown as HeadColumns[];
    const heads = rows.map((row, n) => asHead(row, n === 0 ? seq : rows[n - 1]![0], space, kind));
    yield heads;
    if (heads.length < headsAtOnce) return;
    last = heads.at(-1)!;
  }
}
const headsAtOnce = 1000;

/** Of no row in particular, so that none can be taken out. */
function lostRows(after: number): Error {
  const where = after < 0 ? 'its first row' : `row ${after}`;
  return Object.assign(new Error(`what follows ${where} of table entry is no row`), {
    errcode: sqliteCorrupt,
  });
}

type HeadColumns = [
  seq: number,
  revision: number | null,
  born: number | null,
  space: string | null,
  kind: string | null,
  id: string | null,
  quiet: number | null,
  sum: number | null,
  long: string | null,
  doc: string | 0 | null,
];

/** `space`, `kind`: in the place of nulls. */
function asHead(row: HeadColumns, before: number, space: string, kind: string | null): RowHead {
  const [seq, revision, born, , , id, quiet, sum, long, doc] = row;
  const ownKind = row[4] ?? kind;
  // SQLite shows what lost its bytes as rows of nothing, and says no word.
  if (!(seq > before) || revision === null || born === null || ownKind === null || id === null)
    throw lostRows(before);
  const text = doc === 0 ? null : doc;
  const isRemoval = doc === null;
  return {
    seq,
    revision,
    born,
    space: row[3] ?? space,
    kind: ownKind,
    id,
    isRemoval,
    quiet,
    sum,
    long,
    text,
  };
}

/** The entries of rows, in the order of the rows given. What is not in a head is read by itself. */
export function readEntries(
  db: DatabaseSync,
  heads: Iterable<RowHead>,
  values: LongValues,
  onEntry: (entry: Entry) => void,
): void {
  const select = db.prepare('SELECT doc FROM entry WHERE seq = ?');
  for (const head of heads)
    onEntry(asEntry(head, head.text ?? (select.get(head.seq)!['doc'] as string), values));
}
