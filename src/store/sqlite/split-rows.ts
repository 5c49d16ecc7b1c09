import type { DatabaseSync } from 'node:sqlite';
import type { LongValues } from '../mirror/long-values.ts';
import { inlineJson } from '../mirror/long-values.ts';
import type { RowHead } from './load-rows.ts';
import { longJson, rowSum } from './rows.ts';
import { pastValuesMax, type ValueTable } from './value-table.ts';

/** Maximum bytes of one transaction, beyond its last row. */
const bytesOfSlice = 8 * 1024 * 1024;

/**
 * Migrates rows of a version that kept a whole document in its row: their long members move into the table of values.
 * Slices bound the memory; a process that ended goes on where it was. The newest come first: values of the past
 * beyond their limit are not copied.
 */
export function splitRows(db: DatabaseSync, table: ValueTable, values: LongValues): void {
  const next = db.prepare(
    `SELECT u.until, u.seq, e.revision, e.born, e.space, e.kind, e.id, e.doc
     FROM unsplit u LEFT JOIN entry e ON e.seq = u.seq ORDER BY u.seq DESC LIMIT 1`,
  );
  const update = db.prepare('UPDATE entry SET doc = ?, long = ?, sum = ? WHERE seq = ?');
  const markDone = db.prepare('DELETE FROM unsplit WHERE seq = ?');
  let moved = 0;
  for (let row = next.get(); row;) {
    db.exec('BEGIN IMMEDIATE');
    for (let bytes = 0; row && bytes < bytesOfSlice; row = next.get()) {
      const { until, doc, ...head } = row as unknown as UnsplitRow;
      const entry = split(doc, values);
      if (entry?.long) {
        if (until === null || table.past.bytes < pastValuesMax) table.refer(head.seq, entry.long, until);
        const [inline, long] = [inlineJson(entry), longJson(entry.long)];
        update.run(inline, long, rowSum({ ...head, long, pack: null }, inline), head.seq);
        bytes += doc!.length;
        moved += doc!.length;
      }
      markDone.run(head.seq);
    }
    db.exec('COMMIT');
  }
  // The file holds moved values twice until VACUUM.
  if (moved > vacuumFrom) db.exec('VACUUM');
}

/** Returns undefined for a row that is gone or damaged: its reader reports that. */
function split(doc: string | null, values: LongValues): ReturnType<LongValues['adopt']> | undefined {
  try {
    return doc === null ? undefined : values.adopt(JSON.parse(doc) as object);
  } catch {
    return undefined;
  }
}

interface UnsplitRow extends Omit<RowHead, 'isRemoval' | 'quiet' | 'sum' | 'long' | 'pack' | 'text'> {
  /** The row that replaced this one. */
  readonly until: number | null;
  readonly doc: string | null;
}
const vacuumFrom = 64 * 1024 * 1024;
