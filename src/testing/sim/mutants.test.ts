import { expect, test } from 'vitest';
import { mutated } from './mutant-loader.ts';
import { mutants as mutantsOfParts } from '../../../test/mutants/mutants.ts';
import { mutants as simulated } from './mutants.ts';

test.each([
  ['the simulation', simulated],
  ['the tests of parts', mutantsOfParts],
])('each mutant of %s changes what stands once in its file', (_, mutants) => {
  expect(mutants.length).toBeGreaterThanOrEqual(30);
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  const misfits = mutants.flatMap((mutant) => {
    try {
      mutated(mutant);
      return mutant.find === mutant.replace ? [`${mutant.name} changes nothing`] : [];
    } catch (error) {
      return [(error as Error).message];
    }
  });
  expect(misfits).toEqual([]);
});
