import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/scenarios/**/*.test.ts'],
    testTimeout: 8 * 60_000,
    hookTimeout: 3 * 60_000,
    // They wait more than they work.
    maxConcurrency: 4,
  },
});
