import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { patientExpect } from './test/expect-poll.ts';
import { inThisOrder } from './test/files-in-part.ts';
import { filesOnMachines } from './test/local/files-on-machines.ts';
import { inNode } from './test/in-node.ts';
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
    ...inNode,
    // Some wait more than they work.
    maxWorkers: Math.max(4, availableParallelism()),
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
