import { defineConfig } from 'vitest/config';
import { patientExpect } from '../expect-poll.ts';

export default defineConfig({
  test: {
    expect: patientExpect,
    include: ['test/vault/**/*.test.ts'],
    testTimeout: 2 * 60_000,
    // OpenBao is installed at first.
    hookTimeout: 5 * 60_000,
  },
});
