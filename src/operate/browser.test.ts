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

/** Which of Node's modules a bundle for browsers would need, and who imports them. */
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

test('operate is bundled for a browser without any of Node’s modules, but for its files/', async () => {
  expect(entries).toContain(join('deploy', 'deploy-charm.ts'));
  expect(await nodeImports(entries)).toEqual([]);
});

test('an import of one of Node’s modules is found', async () => {
  const [found = ''] = await nodeImports(['files/describe-checkout.ts']);
  expect(found).toMatch(/describe-checkout\.ts -> node:child_process$/);
});
