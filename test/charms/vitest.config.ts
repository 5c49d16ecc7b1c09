import { defineConfig } from 'vitest/config';
import { patientOnMachines } from '../expect-poll.ts';

export default defineConfig({
  test: {
    expect: patientOnMachines,
    include: ['test/charms/**/*.test.ts'],
    globalSetup: ['test/charms/install.ts'],
    testTimeout: 8 * 60_000,
    hookTimeout: 3 * 60_000,
    // Stories mostly wait.
    maxConcurrency: 5,
  },
});
