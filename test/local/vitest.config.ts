import { defineConfig } from 'vitest/config';
import { patientOnMachines } from '../expect-poll.ts';
import { filesInPart } from '../files-in-part.ts';
import { filesOnMachines } from './files-on-machines.ts';

export default defineConfig({
  test: {
    expect: patientOnMachines,
    include: ['test/local/**/*.test.ts', ...filesOnMachines],
    ...filesInPart('local'),
    testTimeout: 6 * 60_000,
    hookTimeout: 6 * 60_000,
    // Files have a controller of their own, and mostly wait.
    maxWorkers: 4,
  },
});
