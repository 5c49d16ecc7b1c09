import { defineConfig } from 'vitest/config';
import { patientOnMachines } from '../expect-poll.ts';

export default defineConfig({
  test: {
    expect: patientOnMachines,
    include: ['test/vault/**/*.test.ts'],
    globalSetup: ['test/vault/openbao.ts'],
    testTimeout: 4 * 60_000,
    hookTimeout: 5 * 60_000,
  },
});
