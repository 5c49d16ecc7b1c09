/** A type is exported for other files: one that only its own file names is private. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, posix, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const files = globSync('{src,bench,examples,scripts,test}/**/*.{ts,mjs}', { cwd: root })
  .map((path) => path.replaceAll('\\', '/'))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** What all other files take of a file by name; `*` for one that a file takes whole. */
function taken(all: readonly { readonly path: string; readonly text: string }[]): Set<string> {
  const found = new Set<string>();
  for (const { path, text } of all) {
    const add = (from: string, name: string): unknown =>
      found.add(`${posix.normalize(posix.join(dirname(path), from))} ${name}`);
    for (const [, names, whole, from] of text.matchAll(
      /(?:\{([^{}]*)\}|(\*)[^;'"{}]*?)\s*from\s*'(\.[^']+)'/g,
    )) {
      if (whole) add(from!, whole);
      for (const [, name] of (names ?? '').matchAll(/(?:^|,)\s*(?:type\s+)?(\w+)/g)) add(from!, name!);
    }
    for (const [, from, name] of text.matchAll(/\bimport\('(\.[^']+)'\)\.(\w+)/g)) add(from!, name!);
  }
  return found;
}

/** Types that the file exports. */
function exportedBy(text: string): string[] {
  return [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name!);
}

test('No type is exported for its own file alone', () => {
  expect(files.length).toBeGreaterThan(1500);
  const used = taken(files);
  const own = files
    .filter(({ path }) => path.endsWith('.ts') && !used.has(`${path} *`))
    .flatMap(({ path, text }) =>
      exportedBy(text)
        .filter((name) => !used.has(`${path} ${name}`))
        .map((name) => `${path}: ${name} is exported, and no other file imports it`),
    );
  expect(own).toEqual([]);
});

test('What another file takes is found, however it takes it', () => {
  const of = (text: string): string[] => [...taken([{ path: 'src/a/b.ts', text }])];
  expect(of("import { type Unit, units as all } from '../unit.ts';")).toEqual([
    'src/unit.ts Unit',
    'src/unit.ts units',
  ]);
  expect(of("import type {\n  Unit,\n  Life,\n} from './c/unit.ts';")).toEqual([
    'src/a/c/unit.ts Unit',
    'src/a/c/unit.ts Life',
  ]);
  expect(of("export type { Unit } from './unit.ts';")).toEqual(['src/a/unit.ts Unit']);
  expect(of("export * from './unit.ts';\nimport * as unit from './all.ts';")).toEqual([
    'src/a/unit.ts *',
    'src/a/all.ts *',
  ]);
  expect(of("let unit: import('./unit.ts').Unit;")).toEqual(['src/a/unit.ts Unit']);
  expect(
    exportedBy('export interface A {}\nexport type B = A;\ninterface C {}\nexport const d = 1;'),
  ).toEqual(['A', 'B']);
});
