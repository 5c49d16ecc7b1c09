import { defineConfig } from 'vitest/config';
import { patientOnMachines } from '../expect-poll.ts';

export default defineConfig({
  test: {
    expect: patientOnMachines,
    include: ['test/scenarios/**/*.test.ts'],
    testTimeout: 12 * 60_000,
    hookTimeout: 5 * 60_000,
    // Scenarios mostly wait.
    maxConcurrency: 4,
  },
});
