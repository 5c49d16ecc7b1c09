import { defineConfig } from 'vitest/config';
import { lxd } from './server.ts';

export default defineConfig({
  test: {
    include: ['test/lxd/**/*.test.ts'],
    globalSetup: ['test/lxd/setup.ts'],
    // What the tests make is where the next run finds what a killed one left.
    env: { ...lxd.env, TMPDIR: lxd.tmp },
    testTimeout: 8 * 60_000,
    hookTimeout: 5 * 60_000,
    // Each file has a controller of its own, and waits more than it works.
    maxWorkers: 2,
  },
});
