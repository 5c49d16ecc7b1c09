import type { DatabaseSync } from 'node:sqlite';
import type { LongValues } from '../mirror/long-values.ts';
import { inlineJson } from '../mirror/long-values.ts';
import { longJson } from './rows.ts';
import { pastValuesMax, type ValueTable } from './value-table.ts';

/** What one transaction takes at most, in bytes, beyond its last row. */
const bytesOfSlice = 8 * 1024 * 1024;

/**
 * Rows that a version wrote which kept all of a document in its row: their long members move into the table of values.
 * Slice by slice, so that memory is bounded; a process that ended goes on where it was. The newest come first: what is
 * too much of the past is not copied.
 */
export function splitRows(db: DatabaseSync, table: ValueTable, values: LongValues): void {
  const next = db.prepare(
    'SELECT u.seq, u.until, e.doc FROM unsplit u LEFT JOIN entry e ON e.seq = u.seq ORDER BY u.seq DESC LIMIT 1',
  );
  const update = db.prepare('UPDATE entry SET doc = ?, long = ? WHERE seq = ?');
  const done = db.prepare('DELETE FROM unsplit WHERE seq = ?');
  let moved = 0;
  for (let row = next.get(); row;) {
    db.exec('BEGIN IMMEDIATE');
    for (let bytes = 0; row && bytes < bytesOfSlice; row = next.get()) {
      const { seq, until, doc } = row as { seq: number; until: number | null; doc: string | null };
      const entry = doc === null ? undefined : values.adopt(JSON.parse(doc) as object);
      if (entry?.long) {
        if (until === null || table.past.bytes < pastValuesMax) table.refer(seq, entry.long, until);
        update.run(inlineJson(entry), longJson(entry.long), seq);
        bytes += doc!.length;
      }
      done.run(seq);
      moved += bytes;
    }
    db.exec('COMMIT');
  }
  // What was moved is twice in the file until then.
  if (moved > vacuumFrom) db.exec('VACUUM');
}
const vacuumFrom = 64 * 1024 * 1024;
