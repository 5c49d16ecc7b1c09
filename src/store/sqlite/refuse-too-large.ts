import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { getHeapStatistics } from 'node:v8';
import { bytesOfDocument } from '../mirror/long-values.ts';
import { countOf, documentCount, holds, keptCount } from './packs.ts';

const MiB = 1024 * 1024;
const bytesOfRow = 100;

/**
 * Refuses a store whose documents exceed the memory limit. A process that reaches its limit ends without a message,
 * so documents are counted before they are read. Errors: a plain Error that says how many there are and how to go on.
 */
export function refuseTooLarge(
  db: DatabaseSync,
  path: string,
  memory = getHeapStatistics().heap_size_limit,
): void {
  const number = (sql: string): number => Number(Object.values(db.prepare(sql).get() ?? {})[0] ?? 0);
  // The rows of a small file need no count: a row on disk is at least as large as assumed here.
  const file = number('PRAGMA page_count') * number('PRAGMA page_size');
  if (file + (file / bytesOfRow) * bytesOfDocument < memory) return;
  // octet_length reads the heads of rows only. Replaced values are not loaded, so they do not count.
  const { rows, bytes } = stored(db);
  const past = `FROM entry e JOIN entry p ON ${holds('p', 'e.prev')} WHERE p.doc IS NOT NULL`;
  const count = rows - number(`SELECT count(*) ${past}`);
  const text = bytes - number(`SELECT sum(octet_length(p.doc) / ${countOf('p')}) ${past}`);
  const needed = text + count * bytesOfDocument;
  if (needed <= memory) return;
  const [needs, has] = [needed, memory].map((bytes) => Math.ceil(bytes / MiB));
  throw new Error(
    `${path} is too large for this process: its ${count} documents need about ${needs} MiB of memory, and it may have ` +
      `${has} MiB. Nothing was changed. "grigri store-report --data-dir ${dirname(path)}" lists what takes the space; to start ` +
      `despite this, allow more: NODE_OPTIONS=--max-old-space-size=${Math.ceil((needed * 1.5) / MiB)}; see docs/reference/store.md`,
  );
}

/** The documents of all rows but those that packs have forgotten, and the bytes of their texts. */
function stored(db: DatabaseSync): { readonly rows: number; readonly bytes: number } {
  const groups = db
    .prepare(
      'SELECT pack, count(*) AS count, sum(octet_length(doc)) AS bytes FROM entry WHERE doc IS NOT NULL GROUP BY pack',
    )
    .all() as { pack: number | null; count: number; bytes: number }[];
  let [rows, bytes] = [0, 0];
  for (const { pack, count, bytes: ofGroup } of groups) {
    const kept = keptCount(pack);
    rows += count * kept;
    bytes += (ofGroup * kept) / documentCount(pack);
  }
  return { rows, bytes };
}
