import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { patientExpect } from './test/expect-poll.ts';
import { inThisOrder } from './test/files-in-part.ts';
import { filesOnMachines } from './test/local/files-on-machines.ts';
import { longInNpmTest } from './test/long-files.ts';

export default defineConfig({
  test: {
    expect: patientExpect,
    include: ['src/**/*.test.ts', 'examples/**/*.test.ts', 'test/ci/*.test.ts'],
    exclude: [...configDefaults.exclude, ...filesOnMachines],
    sequence: inThisOrder(longInNpmTest),
    globalSetup: 'test/memory-folder.ts',
    setupFiles: 'test/compiled-modules.ts',
    // What all files import is loaded once for each worker, not for each file.
    isolate: false,
    // Node imports the source as it is: transformed imports, which a hot loop reads one by one, took a fifteenth of the
    // processor time. vi.mock is not there; registerHooks of node:module is, as kinds.test.ts has it.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Tests leave much garbage; a larger nursery saves a twentieth of their processor time.
    execArgv: ['--max-semi-space-size=64'],
    // Some wait more than they work.
    maxWorkers: Math.max(4, availableParallelism()),
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
