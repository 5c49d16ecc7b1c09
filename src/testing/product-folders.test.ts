/** Product folders hold the product: what only tests import is in src/testing, or in test. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..');
const files = globSync('**/*.ts', { cwd: folder })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !path.endsWith('.test.ts') && !path.startsWith('testing/'));
const imports = new Map(files.map((path) => [path, importsOf(path)]));

test('every file of the product is reached from main, or from what package.json exports', () => {
  const { exports } = JSON.parse(readFileSync(join(folder, '../package.json'), 'utf8')) as {
    exports: Record<string, string>;
  };
  const reached = new Set<string>();
  const waiting = [
    ...files.filter((path) => path.startsWith('main/')),
    ...Object.values(exports).map((path) => path.replace('./src/', '')),
  ];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    waiting.push(...(imports.get(path) ?? []));
  }
  expect(files.filter((path) => !reached.has(path))).toEqual([]);
});

/** As paths from src. */
function importsOf(path: string): readonly string[] {
  const text = readFileSync(join(folder, path), 'utf8');
  return [...text.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*['"](\.[^'"]+)['"]/g)].map(([, name]) =>
    normalize(join(dirname(path), name!)).replaceAll('\\', '/'),
  );
}
