import { defineConfig } from 'vitest/config';
import { patientExpect } from '../expect-poll.ts';
import { filesOnMachines } from './files-on-machines.ts';

export default defineConfig({
  test: {
    expect: patientExpect,
    include: ['test/local/**/*.test.ts', ...filesOnMachines],
    testTimeout: 3 * 60_000,
    hookTimeout: 3 * 60_000,
    // Each file has a controller of its own, and mostly waits.
    maxWorkers: 4,
  },
});
