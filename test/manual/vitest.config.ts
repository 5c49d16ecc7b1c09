import { defineConfig } from 'vitest/config';
import { patientOnMachines } from '../expect-poll.ts';

export default defineConfig({
  test: {
    expect: patientOnMachines,
    include: ['test/manual/**/*.test.ts'],
    testTimeout: 8 * 60_000,
    hookTimeout: 8 * 60_000,
    // Files make hosts of their own.
    maxWorkers: 2,
  },
});
