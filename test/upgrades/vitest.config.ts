import { defineConfig } from 'vitest/config';
import { patientOnMachines } from '../expect-poll.ts';

export default defineConfig({
  test: {
    expect: patientOnMachines,
    include: ['test/upgrades/**/*.test.ts'],
    testTimeout: 6 * 60_000,
    hookTimeout: 6 * 60_000,
    fileParallelism: false,
  },
});
