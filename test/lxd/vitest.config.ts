import { defineConfig } from 'vitest/config';
import { patientOnMachines } from '../expect-poll.ts';
import { filesInPart } from '../files-in-part.ts';
import { lxd } from './server.ts';

export default defineConfig({
  test: {
    expect: patientOnMachines,
    include: ['test/lxd/**/*.test.ts'],
    ...filesInPart('lxd'),
    globalSetup: ['test/lxd/setup.ts'],
    // Tests write to a folder where the next run finds leftovers of a killed one.
    env: { ...lxd.env, TMPDIR: lxd.tmp },
    testTimeout: 12 * 60_000,
    hookTimeout: 10 * 60_000,
    // Files have a controller of their own, and mostly wait.
    maxWorkers: 2,
  },
});
