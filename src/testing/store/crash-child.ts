/**
 * Process that store/sqlite/crash.test.ts kills: endless changes, several at a time, to pairs of documents that must be
 * equal. Prints `pair revision` for each change that was acknowledged.
 */
import { writeSync } from 'node:fs';
import { openSqliteStore } from '../../store/sqlite/open-sqlite-store.ts';

export interface PairKinds {
  readonly left: { readonly n: number; readonly filler: string };
  readonly right: { readonly n: number };
}

const path = process.argv[2];
if (path === undefined) throw new Error('usage: crash-child.ts <database>');

const store = openSqliteStore<PairKinds>({
  path,
  indexes: {},
  now: () => 0,
  newUuid: () => '',
  retention: { revisions: 200 },
});

for (let pair = 0; pair < 8; pair++) void writePairs(String(pair));

async function writePairs(pair: string): Promise<void> {
  for (;;) {
    const n = await store.change((tx) => {
      const next = (tx.get('left', pair)?.n ?? 0) + 1;
      tx.put('left', pair, { n: next, filler: 'x'.repeat((next * 997) % 9000) });
      tx.put('right', pair, { n: next });
      return next;
    }, `writer ${pair}`);
    // The write is synchronous: lines from before the kill are in the pipe.
    writeSync(1, `${pair} ${n}\n`);
  }
}
