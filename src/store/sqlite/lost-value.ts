import type { DatabaseSync } from 'node:sqlite';
import { ValueGone } from '../../core/value-gone.ts';
import type { LongMember } from '../mirror/long-values.ts';
import { DamagedRow } from './rows.ts';

/**
 * The error for a long value that cannot be read. `ValueGone`: only the past refers to it, and it was deleted.
 * `DamagedRow`: it should exist unchanged, because its document is live, its reference is left, or another value is
 * in its place.
 */
export function lostValue(db: DatabaseSync, long: LongMember, isOther: boolean): ValueGone | DamagedRow {
  const { member, hash, size, row, isPast } = long;
  const ref = row && refOf(db, row.seq, long);
  if (!row || (!ref && !isOther && isPast)) return new ValueGone(long);
  const place = ref ? `row ${ref.value} of table value` : 'table value';
  const damage = isOther ? 'is not as it was written' : 'is missing';
  return new DamagedRow(
    row,
    `the value of its member "${member}" (${place}, ${size} bytes, sha256 ${hash}) ${damage}; the rest of the document is there`,
  );
}

/**
 * The reference to the value. Sweeping deletes references with their values, so a reference that is left says that
 * the value should exist.
 */
function refOf(db: DatabaseSync, seq: number, { hash, size }: LongMember): Ref | undefined {
  const refs = db
    .prepare(
      `SELECT r.value, r.size, v.hash, e.long FROM value_ref r JOIN entry e ON e.seq = r.seq
       LEFT JOIN value v ON v.id = r.value WHERE r.seq = ?`,
    )
    .all(seq) as unknown as Ref[];
  // The value itself may have lost its hash; the other members of the document have theirs.
  const isOthers = (ref: Ref): boolean => ref.hash !== null && (ref.long ?? '').includes(ref.hash);
  return refs.find((ref) => ref.hash === hash) ?? refs.find((ref) => ref.size === size && !isOthers(ref));
}

interface Ref {
  readonly value: number;
  readonly size: number;
  /** Null when there is no value. */
  readonly hash: string | null;
  readonly long: string | null;
}
