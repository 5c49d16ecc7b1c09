import { crc32 } from 'node:zlib';
import type { Entry } from '../mirror/entry-set.ts';
import type { JournalChange } from '../mirror/journal.ts';
import { freezeSized } from '../mirror/json.ts';
import { documentCount, holds, unpack } from './packs.ts';
import { entrySize, type LongMember, type LongValues, type RowName } from '../mirror/long-values.ts';

export type Row = Record<string, unknown>;

/** Columns of rows `e` with the row before each, `p`. */
export const withPrevious = `e.seq, e.revision, e.prev, e.born, e.space, e.kind, e.id, e.doc, e.long, e.sum, e.pack,
  p.seq AS prev_seq, p.id AS prev_id, p.doc AS prev_doc, p.long AS prev_long, p.sum AS prev_sum,
  p.revision AS prev_revision, p.born AS prev_born, p.pack AS prev_pack`;
export const previous = `LEFT JOIN entry p ON ${holds('p', 'e.prev')}`;

/** Converts a row of withPrevious to its changes, in their order. */
export function asChanges(row: Row, values: LongValues): JournalChange[] {
  const { space, kind, id, seq, pack, doc } = row as unknown as StoredRow & { readonly doc: string | null };
  if (pack !== null)
    return entriesOf(row, doc!, values).map((after) => ({
      space,
      kind,
      id: after.id,
      seq: after.seq,
      before: undefined,
      after,
    }));
  return [
    {
      space,
      kind,
      id,
      seq,
      before: entryBefore(row, values),
      after: doc === null ? undefined : asPast(asEntry(row, doc, values)),
    },
  ];
}

function entryBefore(row: Row, values: LongValues): Entry | undefined {
  const text = row['prev_doc'] as string | null;
  if (text === null) return undefined;
  const before: Row = {
    id: row['prev_id'],
    revision: row['prev_revision'],
    seq: row['prev_seq'],
    born: row['prev_born'],
    long: row['prev_long'],
    sum: row['prev_sum'],
    pack: row['prev_pack'],
    space: row['space'],
    kind: row['kind'],
  };
  return entriesOf(before, text, values)
    .filter(({ seq }) => seq === row['prev'])
    .map(asPast)[0];
}

function asPast(entry: Entry): Entry {
  for (const long of entry.long ?? []) long.isPast = true;
  return entry;
}

/** Converts a row of one document or of several; see asChanges for the past. Errors: DamagedRow. */
export function entriesOf(row: object, text: string, values: LongValues): Entry[] {
  const { revision, seq, pack } = row as StoredRow;
  if (pack === null) return [asEntry(row, text, values)];
  checkRow(row as StoredRow, text);
  try {
    return unpack(text, { seq, pack }).map(({ id, seq, doc }) => {
      const size = entrySize(freezeSized(doc), undefined);
      return { id, doc, long: undefined, size, revision, seq, born: seq };
    });
  } catch (cause) {
    throw new DamagedRow(row as StoredRow, (cause as Error).message);
  }
}

function asEntry(row: object, text: string, values: LongValues): Entry {
  const { id, revision, seq, born, long: refs } = row as StoredRow;
  checkRow(row as StoredRow, text);
  try {
    const inline = JSON.parse(text) as object;
    const inlineSize = freezeSized(inline);
    const long = refs === null ? undefined : parseLong(refs, row as StoredRow);
    const size = entrySize(inlineSize, long);
    return { id, doc: long ? values.join(inline, long) : inline, long, size, revision, seq, born };
  } catch (cause) {
    throw new DamagedRow(row as StoredRow, (cause as Error).message);
  }
}

interface StoredRow extends Omit<Entry, 'doc' | 'long' | 'size'> {
  readonly space: string;
  readonly kind: string;
  readonly long: string | null;
  readonly sum: number | null;
  /** See packs.ts; null = one document. */
  readonly pack: number | null;
}

/** A row of the table `entry` that differs from what was written. */
export class DamagedRow extends Error {
  readonly row: RowName & { readonly pack?: number | null };

  constructor(row: DamagedRow['row'], reason: string) {
    const { seq, space, kind, id, revision, pack = null } = row;
    const subject = pack === null ? `${kind} "${id}"` : `${documentCount(pack)} documents of kind ${kind}`;
    const place = space === '' ? 'of the controller' : `in model ${space}`;
    super(`row ${seq} of table entry, ${subject} ${place} at revision ${revision}, is damaged: ${reason}`);
    this.row = row;
  }
}

/** Checks the sum of a row. Errors: DamagedRow. */
export function checkRow(row: StoredRow, doc: string | null): void {
  if (row.sum !== rowSum(row, doc)) throw new DamagedRow(row, 'its checksum is wrong');
}

/**
 * CRC-32 of the document, seeded with a hash of the row's other columns: concatenating them would copy the text, and
 * a second call of crc32 costs more than reading a short name here.
 */
export function rowSum(row: Omit<StoredRow, 'sum'>, doc: string | null): number {
  const { seq, revision, born, space, kind, id, long, pack } = row;
  if (last.kind !== kind || last.space !== space) last = { space, kind, sum: crc32(`${space} ${kind}`) };
  const numbers = Math.imul(seq, 0x9e3779b1) + Math.imul(revision, 0x85ebca6b) + Math.imul(born, 0xc2b2ae35);
  const start = (last.sum + numbers + numberOf(id)) >>> 0;
  const sum = doc === null ? start : crc32(doc, long === null ? start : crc32(long, start));
  return pack === null ? sum : packSum(sum, pack);
}

/** The sum with the column `pack`, which is added last: it changes without the document being read. */
export function packSum(sum: number, pack: number, before = 0): number {
  return (sum + Math.imul(pack - before, 0x27d4eb2f)) >>> 0;
}

/** FNV-1a of the name's UTF-16 units, in 32 bits. */
function numberOf(name: string): number {
  let number = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) number = Math.imul(number ^ name.charCodeAt(i), 0x01000193);
  return number;
}
/** Cache of the last name's sum: rows of a kind come together. */
let last = { space: '', kind: '', sum: crc32(' ') };

/** Format of the column `long`: `{"charm":["<sha256>",2097152]}`. */
export function longJson(long: readonly LongMember[]): string {
  return JSON.stringify(Object.fromEntries(long.map(({ member, hash, size }) => [member, [hash, size]])));
}

function parseLong(text: string, { seq, revision, space, kind, id }: RowName): LongMember[] {
  const row = { seq, revision, space, kind, id };
  const refs = Object.entries(JSON.parse(text) as Record<string, [string, number]>);
  return refs.map(([member, [hash, size]]) => ({ member, hash, size, text: undefined, row, isPast: false }));
}
