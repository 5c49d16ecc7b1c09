import { globSync } from 'node:fs';
import { join } from 'node:path';
import { build, stop } from 'esbuild';
import { afterAll, expect, test } from 'vitest';

const folder = import.meta.dirname;

afterAll(() => stop());

/** Every file of the layer that a web page may import: all but those in files/. */
const entries = globSync('**/*.ts', { cwd: folder })
  .filter((path) => !path.endsWith('.test.ts') && !path.startsWith('files/'))
  .sort();

/** Returns the Node modules that a browser bundle of `paths` would need, with their importers. */
async function nodeImports(paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  await build({
    stdin: {
      contents: paths.map((path) => `import ${JSON.stringify(`./${path}`)};`).join('\n'),
      resolveDir: folder,
    },
    bundle: true,
    platform: 'browser',
    format: 'esm',
    write: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'node-imports',
        setup(bundler) {
          bundler.onResolve({ filter: /^node:/ }, ({ path, importer }) => {
            found.push(`${importer} -> ${path}`);
            return { path, external: true };
          });
        },
      },
    ],
  });
  return found;
}

test('the bundle of operate for browsers imports no Node modules, apart from files/', async () => {
  expect(entries).toContain(join('deploy', 'deploy-charm.ts'));
  expect(await nodeImports(entries)).toEqual([]);
});

test('nodeImports finds an import of a Node module', async () => {
  const [found = ''] = await nodeImports(['files/describe-checkout.ts']);
  expect(found).toMatch(/describe-checkout\.ts -> node:child_process$/);
});
