import type { DatabaseSync } from 'node:sqlite';
import type { JournalChange } from '../mirror/journal.ts';
import { bytesOfDocument } from '../mirror/long-values.ts';

/**
 * A pack is a row with several documents that one change added: of one kind and space, short, and without an older row.
 * A row costs most of the time that a short document needs, and a change that adds thousands writes a sixteenth of them.
 * Its documents have a number each, as if they had a row each, and the pack's `seq` is the last one. The column `doc` is
 * `[id, document, id, document, …]`, and `pack` its count, with a bit for each document that the history has forgotten:
 * a pack is deleted with its last one.
 */
export const documentsOfPack = 16;
/** Maximum size of a document in a pack, in bytes. */
const documentMax = bytesOfDocument + 1024;
/** The column `pack` is the count and, this many times, the bits of what is forgotten. */
const bits = 256;

/** SQL: the number of documents in the row `alias`. */
export const countOf = (alias: string): string => `coalesce(${alias}.pack % ${bits}, 1)`;
/** SQL: the condition that the row `alias` holds the document whose number is `seq`, and has not forgotten it. */
export const holds = (alias: string, seq: string): string =>
  `${alias}.seq = (SELECT seq FROM entry WHERE seq >= ${seq} ORDER BY seq LIMIT 1)
   AND ${alias}.seq - ${countOf(alias)} < ${seq}
   AND (${alias}.pack IS NULL OR ((${alias}.pack / ${bits}) >> (${alias}.seq - ${seq})) & 1 = 0)`;

/** Whether the file has packs: one of an older version that was not opened yet has no such column. */
export function hasPacks(db: DatabaseSync): boolean {
  return db
    .prepare('PRAGMA table_info(entry)')
    .all()
    .some(({ name }) => name === 'pack');
}

export function documentCount(pack: number | null): number {
  return pack === null ? 1 : pack % bits;
}

/** The pack without some documents, given by their distance from its last; undefined when none is left. */
export function forgotten(pack: number, places: readonly number[]): number | undefined {
  const count = pack % bits;
  let gone = Math.floor(pack / bits);
  for (const place of places) gone |= 1 << place;
  return gone === 2 ** count - 1 ? undefined : count + gone * bits;
}

/** Whether `count` changes from `from` on may be one row; `mayPack` is asked last. */
export function arePack(
  changes: readonly JournalChange[],
  from: number,
  count: number,
  mayPack: (change: JournalChange) => boolean,
): boolean {
  if (from + count > changes.length) return false;
  const { space, kind, seq } = changes[from]!;
  for (let n = 0; n < count; n++) {
    const change = changes[from + n]!;
    const { before, after } = change;
    if (before || !after || after.long || after.size > documentMax) return false;
    if (change.kind !== kind || change.space !== space || change.seq !== seq + n) return false;
    if (!mayPack(change)) return false;
  }
  return true;
}

export function packText(changes: readonly JournalChange[], from: number, count: number): string {
  const items: unknown[] = [];
  for (let n = from; n < from + count; n++) items.push(changes[n]!.id, changes[n]!.after!.doc);
  return JSON.stringify(items);
}

/** A document of a row. */
export interface Packed {
  readonly id: string;
  readonly seq: number;
  readonly doc: object;
}

/** Reads those documents of a pack that are not forgotten. Errors: a plain Error when it has not that count. */
export function unpack(text: string, { seq, pack }: { seq: number; pack: number }): Packed[] {
  const items = JSON.parse(text) as unknown[];
  const count = pack % bits;
  const gone = Math.floor(pack / bits);
  if (!Array.isArray(items) || items.length !== 2 * count) throw new Error(`it has not ${count} documents`);
  const documents: Packed[] = [];
  for (let n = 0; n < count; n++)
    if (((gone >> (count - 1 - n)) & 1) === 0)
      documents.push({
        id: items[2 * n] as string,
        seq: seq - count + 1 + n,
        doc: items[2 * n + 1] as object,
      });
  return documents;
}
