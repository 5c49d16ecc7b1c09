import type { DatabaseSync } from 'node:sqlite';
import type { Entry } from '../mirror/entry-set.ts';
import type { LongValues } from '../mirror/long-values.ts';
import { asEntry, checkRow } from './rows.ts';
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
  /** The document, when it is short. */
  readonly text: string | null;
}

/** Longer documents are not read with their heads: those of the history are not needed. */
const shortMax = 2048;

/**
 * All rows, newest first, page by page: what comes first of a document is all that an opening needs of it. Pages of
 * arrays: a third of the time that an iterator of objects takes. A space or a kind that is the same as in the row where
 * the page before ended comes as null: text is most of what reading costs.
 */
export function* rowHeads(db: DatabaseSync): Iterable<readonly RowHead[]> {
  // octet_length looks at the row's head only: however long the document is, it is not read.
  const page = db.prepare(
    `SELECT seq, revision, born, nullif(space, ?2), nullif(kind, ?3), id, quiet, sum, long,
       CASE WHEN octet_length(doc) > ${shortMax} THEN 0 ELSE doc END
     FROM entry WHERE seq < ?1 ORDER BY seq DESC LIMIT ${headsAtOnce}`,
  );
  page.setReturnArrays(true);
  let last: Pick<RowHead, 'seq' | 'space'> & { readonly kind: string | null } = {
    seq: Number.MAX_SAFE_INTEGER,
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
function lostRows(later: number): Error {
  const where = later === Number.MAX_SAFE_INTEGER ? 'its last row' : `row ${later}`;
  return Object.assign(new Error(`what precedes ${where} of table entry is no row`), {
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
function asHead(row: HeadColumns, later: number, space: string, kind: string | null): RowHead {
  const [seq, revision, born, , , id, quiet, sum, long, doc] = row;
  const ownKind = row[4] ?? kind;
  // SQLite shows what lost its bytes as rows of nothing, and says no word.
  if (!(seq < later) || revision === null || born === null || ownKind === null || id === null)
    throw lostRows(later);
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

/** Makes entries of rows; what is not in a head is read by itself. */
export function entryReader(db: DatabaseSync, values: LongValues): (head: RowHead) => Entry {
  const select = db.prepare('SELECT doc FROM entry WHERE seq = ?');
  return (head) => asEntry(head, head.text ?? (select.get(head.seq)!['doc'] as string), values);
}

/** A row that is not its document's newest: whole, when it is short. Errors: DamagedRow. */
export function checkOlder(row: RowHead): void {
  // One whose name is damaged may be taken for an older row of another document.
  if (row.text !== null || row.isRemoval) checkRow(row, row.text);
}
