import { defineConfig } from 'vitest/config';
import { patientOnMachines } from '../expect-poll.ts';
import { filesOnMachines } from './files-on-machines.ts';

export default defineConfig({
  test: {
    expect: patientOnMachines,
    include: ['test/local/**/*.test.ts', ...filesOnMachines],
    testTimeout: 6 * 60_000,
    hookTimeout: 6 * 60_000,
    // Each file has a controller of its own, and mostly waits.
    maxWorkers: 4,
  },
});
