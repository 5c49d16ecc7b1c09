import type { DatabaseSync } from 'node:sqlite';
import type { JournalChange } from '../mirror/journal.ts';
import { bytesOfDocument } from '../mirror/long-values.ts';

/**
 * A pack is a row with several documents that one change added: of one kind and space, short, and without an older row.
 * A row costs most of the time that a short document needs, and a change that adds thousands writes a sixteenth of
 * them. Its documents have a number each, as if they had a row each, and the pack's `seq` is the last one. The column
 * `doc` is packText's, and `pack` its count, with a bit for each document that the history has forgotten: a pack is
 * deleted with its last one.
 */
export const documentsOfPack = 16;
/** Maximum size of a document in a pack, in bytes. */
const documentMax = bytesOfDocument + 1024;
/**
 * Factor of the forgotten documents' bits in the column `pack`, which is the count and, this many times, these bits.
 */
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

/** Number of documents that are not forgotten. */
export function keptCount(pack: number | null): number {
  let kept = documentCount(pack);
  for (let gone = Math.floor((pack ?? 0) / bits); gone > 0; gone >>= 1) kept -= gone & 1;
  return kept;
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

/**
 * Text of a pack. Documents with the same members, in the same order, are written like a table: what all have in common
 * once, and the values of each other member as a column. Other documents, and those of an older version, are a list:
 * `[id, document, id, document, …]`.
 */
export function packText(changes: readonly JournalChange[], from: number, count: number): string {
  const ids: string[] = [];
  const docs: object[] = [];
  for (let n = from; n < from + count; n++) {
    ids.push(changes[n]!.id);
    docs.push(changes[n]!.after!.doc);
  }
  return JSON.stringify(asTable(ids, docs) ?? ids.flatMap((id, n) => [id, docs[n]]));
}

/** A pack as a table. */
interface PackTable {
  readonly ids: readonly string[];
  /** The members of each document in their order, with null in the place of those that have a column. */
  readonly common: Readonly<Record<string, unknown>>;
  /** Member → its value in each document; `ids`: in each document, the member is its id. */
  readonly columns: Readonly<Record<string, readonly unknown[] | 'ids'>>;
}

/** Builds the table of a pack; returns undefined when the documents do not have the same members. */
function asTable(ids: readonly string[], docs: readonly object[]): PackTable | undefined {
  const first = docs[0] as Record<string, unknown>;
  const members = Object.keys(first);
  // Assigning the member `__proto__` sets an object's prototype instead.
  if (Array.isArray(first) || members.includes('__proto__')) return undefined;
  const differ = members.map(() => false);
  for (let n = 1; n < docs.length; n++) {
    const doc = docs[n] as Record<string, unknown>;
    let m = 0;
    for (const member in doc) {
      if (members[m] !== member) return undefined;
      if (!differ[m] && !isSame(first[member], doc[member])) differ[m] = true;
      m++;
    }
    if (m !== members.length) return undefined;
  }
  const common: Record<string, unknown> = { ...first };
  const columns: Record<string, unknown[] | 'ids'> = {};
  members.forEach((member, m) => {
    if (!differ[m]) return;
    const values = docs.map((doc) => (doc as Record<string, unknown>)[member]);
    common[member] = null;
    columns[member] = values.every((value, n) => value === ids[n]) ? 'ids' : values;
  });
  return { ids, common, columns };
}

/** Whether two values have the same JSON, members in the same order. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = Object.entries(a);
  const right = Object.entries(b);
  return (
    left.length === right.length &&
    left.every(([member, value], n) => right[n]![0] === member && isSame(value, right[n]![1]))
  );
}

/** A document of a row. */
interface Packed {
  readonly id: string;
  readonly seq: number;
  readonly doc: object;
}

/**
 * Reads those documents of a pack that are not forgotten. Errors: a plain Error when the pack does not have that count
 * of documents.
 */
export function unpack(text: string, { seq, pack }: { seq: number; pack: number }): Packed[] {
  const count = pack % bits;
  const gone = Math.floor(pack / bits);
  const at = reader(JSON.parse(text) as unknown, count);
  const documents: Packed[] = [];
  for (let n = 0; n < count; n++)
    if (((gone >> (count - 1 - n)) & 1) === 0) documents.push({ seq: seq - count + 1 + n, ...at(n) });
  return documents;
}

/** Returns a function that makes the n-th document. */
function reader(pack: unknown, count: number): (n: number) => Omit<Packed, 'seq'> {
  if (Array.isArray(pack)) {
    if (pack.length !== 2 * count) throw wrongCount(count);
    return (n) => ({ id: pack[2 * n] as string, doc: pack[2 * n + 1] as object });
  }
  const { ids, common, columns } = (pack ?? {}) as Partial<PackTable>;
  checkCount(ids, count);
  const values = Object.entries(columns ?? {}).map(
    ([member, column]) => [member, column === 'ids' ? ids : column] as const,
  );
  for (const [, column] of values) checkCount(column, count);
  return (n) => {
    const doc: Record<string, unknown> = { ...common };
    for (const [member, column] of values) doc[member] = column[n];
    return { id: ids[n]!, doc };
  };
}

function checkCount<T>(items: readonly T[] | undefined, count: number): asserts items is readonly T[] {
  if (!Array.isArray(items) || items.length !== count) throw wrongCount(count);
}

function wrongCount(count: number): Error {
  return new Error(`it has not ${count} documents`);
}
