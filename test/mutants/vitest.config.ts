import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { patientExpect } from '../expect-poll.ts';
import { mutated } from '../../src/testing/sim/mutant-loader.ts';
import { mutants } from './mutants.ts';

const src = join(import.meta.dirname, '../../src');
const mutant = mutants.find(({ name }) => name === process.env['GRIGRI_MUTANT']);

/** The product with one mutant in it, in memory; without one, the product as it is. */
export default defineConfig({
  root: join(src, '..'),
  plugins: mutant
    ? [
        {
          name: 'mutant',
          enforce: 'pre',
          transform: (_, id) => (id === join(src, mutant.file) ? mutated(mutant) : undefined),
        },
      ]
    : [],
  test: {
    expect: patientExpect,
    include: ['src/**/*.test.ts'],
    testTimeout: 60_000,
    bail: 1,
    // The cache identifies files by their text on disk, which does not have the mutant.
    fsModuleCache: false,
  },
});
