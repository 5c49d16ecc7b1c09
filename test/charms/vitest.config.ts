import { defineConfig } from 'vitest/config';
import { patientOnMachines } from '../expect-poll.ts';

export default defineConfig({
  test: {
    expect: patientOnMachines,
    include: ['test/charms/**/*.test.ts'],
    globalSetup: ['test/charms/install.ts'],
    testTimeout: 12 * 60_000,
    hookTimeout: 5 * 60_000,
    // Concurrent stories exceed the processors, as stories mostly wait.
    maxConcurrency: 5,
  },
});
