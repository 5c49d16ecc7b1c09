import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/manual/**/*.test.ts'],
    testTimeout: 4 * 60_000,
    hookTimeout: 4 * 60_000,
    // Each file makes hosts of its own.
    maxWorkers: 2,
  },
});
