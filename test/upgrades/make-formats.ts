/**
 * Makes the databases of earlier formats that open-database's tests open: `node test/upgrades/make-formats.ts`. Each is
 * written by the code of a commit of its time, taken from git (format-commits.ts).
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { formatCommits } from './format-commits.ts';

const root = join(import.meta.dirname, '../..');
const target = join(root, 'src/testing/store/formats');
/** Program that runs beside the old code: what the tests expect is in earlier-formats.test.ts. */
const writer = `
import { openSqliteStore } from './src/store/sqlite/open-sqlite-store.ts';
let time = 0;
const store = openSqliteStore({
  path: 'store.db',
  indexes: {
    sequence: {},
    charm: {},
    access: { user: (doc) => doc.user, model: (doc) => doc.model },
    unit: { application: (doc) => doc.application },
  },
  findRemovedBy: { access: ['model'] },
  now: () => Date.UTC(2026, 0, 1) + 1000 * time++,
  newUuid: () => '',
});
const text = (letter) => (letter + 'é😀"').repeat(4000);
for (let next = 1; next <= 3; next++)
  await store.change((tx) => tx.put('sequence', 'a', { name: 'a', next }), 'test');
await store.change((tx) => tx.put('access', 'bob m1', { user: 'bob', model: 'm1', access: 'read' }), 'test');
await store.change((tx) => tx.remove('access', 'bob m1'), 'test');
for (const letter of ['x', 'y'])
  await store.change((tx) => tx.put('charm', 'c', { url: 'c', metadata: text(letter) }), 'test');
await store.change((tx) => {
  for (let n = 0; n < 40; n++)
    tx.in('m1').put('unit', 'a/' + n, { name: 'a/' + n, application: 'a', life: 'alive' });
}, 'test');
await store.change((tx) => tx.in('m1').put('unit', 'a/7', { name: 'a/7', application: 'a', life: 'dying' }), 'test');
await store.change((tx) => tx.in('m1').remove('unit', 'a/8'), 'test');
await store.close();
`;

mkdirSync(target, { recursive: true });
for (const [format, commit] of Object.entries(formatCommits)) {
  const folder = mkdtempSync(join(tmpdir(), 'grigri-format-'));
  try {
    const source = execFileSync('git', ['archive', commit, 'src', 'package.json'], {
      cwd: root,
      maxBuffer: 1 << 28,
    });
    execFileSync('tar', ['-x', '-C', folder], { input: source });
    writeFileSync(join(folder, 'write.ts'), writer);
    execFileSync(process.execPath, ['write.ts'], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
    const file = gzipSync(readFileSync(join(folder, 'store.db')), { level: 9 });
    writeFileSync(join(target, `format-${format}.db.gz`), file);
    console.log(`format ${format}: ${file.length} bytes`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
