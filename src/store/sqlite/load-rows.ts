import type { DatabaseSync } from 'node:sqlite';
import type { Entry } from '../mirror/entry-set.ts';
import type { LongValues } from '../mirror/long-values.ts';
import { hasPacks } from './packs.ts';
import { checkRow, entriesOf } from './rows.ts';
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
  /** Whether the change was quiet when it was written; absent = an older version wrote the row. */
  readonly quiet: number | null;
  readonly sum: number | null;
  readonly long: string | null;
  /** See packs.ts; null = one document. */
  readonly pack: number | null;
  /** The document, when it is short. */
  readonly text: string | null;
}

/**
 * Maximum length of documents that are read with their heads; long documents of the history are not needed at all.
 */
const shortMax = 2048;

/**
 * All rows, newest first, page by page: an opening needs only the first row of each document. Pages are arrays, which
 * take a third of the time of an iterator of objects. A space or kind equal to that of the row at the end of the
 * previous page comes as null: text is most of the cost of reading.
 */
export function* rowHeads(db: DatabaseSync): Iterable<readonly RowHead[]> {
  const pack = hasPacks(db) ? 'pack' : 'NULL';
  // octet_length reads the row's head only, however long the document is.
  const page = db.prepare(
    `SELECT seq, revision, born, nullif(space, ?2), nullif(kind, ?3), id, quiet, sum, long,
       CASE WHEN octet_length(doc) > ${shortMax} AND ${pack} IS NULL THEN 0 ELSE doc END, ${pack}
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

/** Error about damage that belongs to no row that could be repaired. */
function lostRows(laterSeq: number): Error {
  const place = laterSeq === Number.MAX_SAFE_INTEGER ? 'its last row' : `row ${laterSeq}`;
  return Object.assign(new Error(`what precedes ${place} of table entry is not a row`), {
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
  pack: number | null,
];

/** Converts columns to a RowHead. `space`, `kind`: used where a column is null. */
function asHead(row: HeadColumns, laterSeq: number, space: string, kind: string | null): RowHead {
  const [seq, revision, born, , , id, quiet, sum, long, doc, pack] = row;
  const ownKind = row[4] ?? kind;
  // SQLite shows rows that lost their bytes as rows of nulls, without an error.
  if (!(seq < laterSeq) || revision === null || born === null || ownKind === null || id === null)
    throw lostRows(laterSeq);
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
    pack,
    text,
  };
}

/** Returns a function that makes the entries of a row head; it reads what the head does not have. */
export function entryReader(db: DatabaseSync, values: LongValues): (head: RowHead) => Entry[] {
  const select = db.prepare('SELECT doc FROM entry WHERE seq = ?');
  return (head) => entriesOf(head, head.text ?? (select.get(head.seq)!['doc'] as string), values);
}

/** Checks a row that is not its document's newest, completely when it is short. Errors: DamagedRow. */
export function checkOlder(row: RowHead): void {
  // A newest row whose name is damaged may be taken for an older row of another document.
  if (row.text !== null || row.isRemoval) checkRow(row, row.text);
}
