/**
 * Process that sync.test.ts traces: 20 changes one after the other, each reported on standard output once it is
 * acknowledged.
 */
import { writeSync } from 'node:fs';
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite-store.ts';

const path = process.argv[2];
if (path === undefined) throw new Error('usage: sync-child.ts <database>');

const store = openSqliteStore<{ readonly thing: { readonly n: number } }>({
  path,
  indexes: {},
  now: () => 0,
  newUuid: () => '',
});
for (let n = 0; n < 20; n++) {
  await store.change((tx) => tx.put('thing', 'one', { n }), 'test');
  // The write is synchronous, and not to a stream, so that it has its place among the traced calls.
  writeSync(1, `acknowledged ${n}\n`);
}
await store.close();
