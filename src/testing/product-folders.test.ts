/** Product folders hold the product: files that only tests import are in src/testing, or in test. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';

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

/** Files that may use an export, with their code without comments. */
const users = globSync('{src,test,bench,examples}/**/*.ts', {
  cwd: join(folder, '..'),
  exclude: ['**/node_modules', '**/.cache'],
}).map((path) => {
  const code = readFileSync(join(folder, '..', path), 'utf8')
    .replaceAll(/^\s*(?:\/\*\*|\*|\/\/).*$/gm, '')
    .replaceAll(/ \/\/ .*$/gm, '');
  return { path: path.replaceAll('\\', '/').replace(/^src\//, ''), code, words: countWords(code) };
});

describe('every export of the product', () => {
  const kinds = '(?:async )?(?:function\\*?|const|class|type|interface)';
  const exported = users
    .filter(({ path }) => imports.has(path) && !path.startsWith('providers/conformance/'))
    .flatMap(({ path, code, words }) =>
      [...code.matchAll(new RegExp(`^export (${kinds}) (\\w+)`, 'gm'))].map(([, kind, name]) => ({
        path,
        isType: /^(?:type|interface)$/.test(kind!),
        name: name!,
        own: words.get(name!)!,
      })),
    );
  /** Number of files that have a word. */
  const files = new Map<string, number>();
  const productWords = new Map<string, number>();
  for (const { path, words } of users)
    for (const [word, count] of words) {
      files.set(word, (files.get(word) ?? 0) + 1);
      if (imports.has(path)) productWords.set(word, (productWords.get(word) ?? 0) + count);
    }

  test('is used by the product: what only tests use is in src/testing', () => {
    expect(exported.length).toBeGreaterThan(2000);
    expect(exported.filter(({ name }) => productWords.get(name) === 1)).toEqual([]);
  });

  test('that is a value is used by another file', () => {
    expect(exported.filter(({ name, isType }) => !isType && files.get(name) === 1)).toEqual([]);
  });
});

function countWords(code: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of code.matchAll(/\w+/g)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Returns a file's imports, as paths from src. */
function importsOf(path: string): readonly string[] {
  const text = readFileSync(join(folder, path), 'utf8');
  return [...text.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*['"](\.[^'"]+)['"]/g)].map(([, name]) =>
    normalize(join(dirname(path), name!)).replaceAll('\\', '/'),
  );
}
