import { globSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { expect, test } from 'vitest';

const folder = import.meta.dirname;

/** Every file of the layer that a web page may import: all but those in files/. */
const entries = globSync('**/*.ts', { cwd: folder })
  .filter((path) => !path.endsWith('.test.ts') && !path.startsWith('files/'))
  .sort();

/** Returns the Node modules that a browser bundle of `paths` would need, with their importers. */
function nodeImports(paths: readonly string[]): string[] {
  const { metafile } = buildSync({
    stdin: {
      contents: paths.map((path) => `import ${JSON.stringify(`./${path}`)};`).join('\n'),
      resolveDir: folder,
    },
    bundle: true,
    platform: 'browser',
    format: 'esm',
    write: false,
    logLevel: 'silent',
    external: ['node:*'],
    metafile: true,
  });
  return Object.entries(metafile.inputs).flatMap(([importer, { imports }]) =>
    imports.filter(({ external }) => external).map(({ path }) => `${importer} -> ${path}`),
  );
}

test('the bundle of operate for browsers imports no Node modules, apart from files/', () => {
  expect(entries).toContain(join('deploy', 'deploy-charm.ts'));
  expect(nodeImports(entries)).toEqual([]);
});

test('nodeImports finds an import of a Node module', () => {
  const [found = ''] = nodeImports(['files/describe-checkout.ts']);
  expect(found).toMatch(/describe-checkout\.ts -> node:child_process$/);
});
