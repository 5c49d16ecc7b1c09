import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/crash/**/*.test.ts'],
    testTimeout: 20 * 60_000,
    hookTimeout: 5 * 60_000,
    fileParallelism: false,
  },
});
