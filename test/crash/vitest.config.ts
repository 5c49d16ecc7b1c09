import { defineConfig } from 'vitest/config';
import { patientExpect } from '../expect-poll.ts';

export default defineConfig({
  test: {
    expect: patientExpect,
    include: ['test/crash/**/*.test.ts'],
    testTimeout: 20 * 60_000,
    hookTimeout: 5 * 60_000,
    fileParallelism: false,
  },
});
