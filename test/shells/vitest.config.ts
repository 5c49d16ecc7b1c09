import { defineConfig } from 'vitest/config';
import { patientOnMachines } from '../expect-poll.ts';

export default defineConfig({
  test: {
    expect: patientOnMachines,
    include: ['test/shells/**/*.test.ts'],
    testTimeout: 4 * 60_000,
    // The timeout covers the installation of shells and formatters.
    hookTimeout: 5 * 60_000,
  },
});
