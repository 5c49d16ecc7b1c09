// Bundles what ships: the CLI, the controller and the agent that machines download. Runs on any Node ≥ 20.
import { build } from 'esbuild';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileController, ownNode } from './compile-controller.mjs';
import { spawnSync } from 'node:child_process';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
// Made beside the old one and swapped, so that what runs meanwhile never sees half a build.
await mkdir(dist, { recursive: true });
const next = await mkdtemp(join(dist, '.build-'));

/** CommonJS dependencies call require. */
const banner = {
  js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
};
/**
 * An import of node:http as a module reads all it exports, and so loads an HTTP client of Node's own that nobody uses
 * here: some 50 ms at each start. require() reads what is used.
 */
const httpWhenUsed = {
  name: 'http-when-used',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?https?$/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'when-used' } : { path, external: true },
    );
    onLoad({ filter: /.*/, namespace: 'when-used' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  supported: { using: true },
  legalComments: 'none',
  logLevel: 'warning',
  // ws looks for two native helpers that we do not install.
  external: ['bufferutil', 'utf-8-validate'],
  banner,
};

/**
 * Loading a file costs a millisecond, and esbuild makes a chunk of every set of modules that the same lazily loaded
 * parts use. When all of them use all that a start needs, that is one chunk.
 */
const oneChunkToStart = {
  name: 'one-chunk-to-start',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/(cli|client|operate|providers)\/.*\.ts$/ }, async ({ path }) => ({
      contents: `${await readFile(path, 'utf8')}\nimport ${JSON.stringify(join(root, 'src/cli/run.ts'))};\nimport ${JSON.stringify(join(root, 'src/cli/commands/version.ts'))};`,
      loader: 'ts',
    }));
  },
};

try {
  await Promise.all([
    build({
      ...common,
      entryPoints: { cli: 'src/main/cli.ts' },
      outdir: join(next, 'cli'),
      outExtension: { '.js': '.mjs' },
      splitting: true,
      plugins: [httpWhenUsed, oneChunkToStart],
      minifySyntax: true,
      minifyWhitespace: true,
      chunkNames: 'chunk-[hash]',
    }),
    ...[
      ...['agent', 'launcher', 'controller', 'commands', 'archiver', 'forecast'].map((name) => [name, name]),
      ['launch/controller', 'quick/controller'],
    ].map(([source, name]) =>
      build({
        ...common,
        entryPoints: [`src/main/${source}.ts`],
        outfile: join(next, `${name}.mjs`),
        plugins: [httpWhenUsed],
        keepNames: true,
      }),
    ),
  ]);
  for (const name of [
    'cli',
    'agent.mjs',
    'launcher.mjs',
    'controller.mjs',
    'commands.mjs',
    'archiver.mjs',
    'forecast.mjs',
    'quick',
  ]) {
    const target = join(dist, name);
    const old = join(next, `old-${name}`);
    if (existsSync(target)) await rename(target, old);
    await rename(join(next, name), target);
  }
  // Manual pages and completion scripts, where programs look for them: beside the folder of bin/grigri.
  const share = spawnSync(
    (await ownNode(root)) ?? process.execPath,
    [join(dist, 'cli/cli.mjs'), '__share', join(next, 'share')],
    { encoding: 'utf8' },
  );
  if (share.status !== 0) throw new Error(`no manual pages: ${share.stderr || share.error}`);
  await rm(join(root, 'share'), { recursive: true, force: true });
  await rename(join(next, 'share'), join(root, 'share'));
  await compileController(root).catch((error) => console.error(`the first start will take longer: ${error}`));
} catch (error) {
  // esbuild has said what is wrong with the source.
  if (!(error instanceof Error && 'errors' in error))
    console.error(`ERROR ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await rm(next, { recursive: true, force: true });
}
