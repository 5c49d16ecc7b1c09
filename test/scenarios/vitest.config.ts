import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/scenarios/**/*.test.ts'],
    testTimeout: 8 * 60_000,
    hookTimeout: 3 * 60_000,
    // Scenarios mostly wait.
    maxConcurrency: 4,
  },
});
