/** Packages that one module wraps, with limits or behaviour that every user of the package needs. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..');

test.each([
  [
    'yaml',
    /^kit\/yaml\//,
    'kit/yaml reads YAML within limits, and writes it so that every version reads it alike',
  ],
  ['yauzl', /^kit\/archive\.ts$/, 'kit/archive.ts checks the paths, links and sizes in an archive'],
])('the package %s is imported by one module', (name, where, because) => {
  const imported = new RegExp(`^\\s*import\\b[^;]*?['"]${name}['"]|\\bimport\\(['"]${name}['"]\\)`, 'm');
  const wrong = globSync('**/*.ts', { cwd: folder })
    .filter((path) => !path.endsWith('.test.ts') && !where.test(path))
    .filter((path) => imported.test(readFileSync(join(folder, path), 'utf8')))
    .map((path) => `${path}: ${because}`);
  expect(wrong).toEqual([]);
});
