// Bundles what ships: the CLI, the controller and the agent that machines download. Runs on any Node ≥ 20.
import { build } from 'esbuild';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
// Made beside the old one and swapped, so that what runs meanwhile never sees half a build.
await mkdir(dist, { recursive: true });
const next = await mkdtemp(join(dist, '.build-'));

/** CommonJS dependencies call require. */
const banner = {
  js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
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
      plugins: [oneChunkToStart],
      minifySyntax: true,
      minifyWhitespace: true,
      chunkNames: 'chunk-[hash]',
    }),
    ...['agent', 'controller'].map((name) =>
      build({
        ...common,
        entryPoints: [`src/main/${name}.ts`],
        outfile: join(next, `${name}.mjs`),
        keepNames: true,
      }),
    ),
  ]);
  for (const name of ['cli', 'agent.mjs', 'controller.mjs']) {
    const target = join(dist, name);
    const old = join(next, `old-${name}`);
    if (existsSync(target)) await rename(target, old);
    await rename(join(next, name), target);
  }
} catch (error) {
  // esbuild has said what is wrong with the source.
  if (!(error instanceof Error && 'errors' in error))
    console.error(`ERROR ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await rm(next, { recursive: true, force: true });
}
