import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/local/**/*.test.ts'],
    testTimeout: 3 * 60_000,
    hookTimeout: 3 * 60_000,
    // Each file has a controller of its own, and waits more than it works.
    maxWorkers: 3,
  },
});
