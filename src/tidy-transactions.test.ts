/** Documents change in src/controller/transactions and nowhere else in the product. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { phases } from './testing/walls.ts';

const src = import.meta.dirname;

/** Folders whose code can hold a transaction of the controller's store. */
const files = globSync('{controller,main}/**/*.ts', { cwd: src })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !path.endsWith('.test.ts') && !path.startsWith('controller/transactions/'))
  .map((path) => ({ path, text: readFileSync(join(src, path), 'utf8') }));

/** Writes by what all code calls a transaction, `tx` or `root`, or of a kind of document by its name. */
const write = /(?:\b(?:tx|root|space)|\.in\([^()]*\))\s*\.(?:put|remove)\(|\.(?:put|remove)\(\s*'[a-z-]+',\s/;

/** Helpers of transactions that write. */
const writers = /import \{[^}]*\b(?:setStatus|removeStatuses|takeNumbers)\b[^}]*\} from '[^']*\/tx\.ts'/;

test('Outside of transactions no document is put or removed', () => {
  expect(files.length).toBeGreaterThan(200);
  expect(found(write)).toEqual([]);
});

test('Outside of transactions no status is written and no number taken', () => {
  expect(found(writers)).toEqual([]);
});

test('Every transaction is in the folder of a phase, and only what all of them need is beside these', () => {
  const folders = new Set(
    globSync('controller/transactions/**/*.ts', { cwd: src })
      .filter((path) => !path.endsWith('.test.ts'))
      .map((path) => path.replaceAll('\\', '/').split('/')[2]!),
  );
  expect([...folders].sort()).toEqual([...Object.keys(phases), 'tx.ts'].sort());
});

test('What counts as a write is found', () => {
  const writes = [
    "tx.put('task', id, doc)",
    'for (const { kind, id } of all) tx.remove(kind, id)',
    "root.in(modelUuid).remove('stray', id)",
    "tx.in('').put(\n  'last-login', id, doc)",
    "change((t) => t.remove('lease', name))",
  ];
  expect(writes.filter((text) => !write.test(text))).toEqual([]);
  const others = ['services.blobs.remove(sha256)', 'connection.remove(call.id)', "client.put('/1.0', body)"];
  expect(others.filter((text) => write.test(text))).toEqual([]);
  expect(writers.test("import { setStatus, type Tx } from '../transactions/tx.ts'")).toBe(true);
});

function found(pattern: RegExp): string[] {
  return files.flatMap(({ path, text }) => {
    const [match] = pattern.exec(text) ?? [];
    return match === undefined ? [] : [`${path}: ${match}: make it a transaction in controller/transactions`];
  });
}
