import { defineConfig } from 'vitest/config';
import { patientOnMachines } from '../expect-poll.ts';

export default defineConfig({
  test: {
    expect: patientOnMachines,
    include: ['test/scenarios/**/*.test.ts'],
    testTimeout: 12 * 60_000,
    hookTimeout: 5 * 60_000,
    // Concurrent scenarios exceed the processors, as scenarios mostly wait.
    maxConcurrency: 4,
  },
});
