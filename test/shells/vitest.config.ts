import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/shells/**/*.test.ts'],
    testTimeout: 2 * 60_000,
    // Shells and formatters are installed at first.
    hookTimeout: 5 * 60_000,
  },
});
