import { expect, test } from 'vitest';
import { mutated } from './mutant-loader.ts';
import { mutants } from './mutants.ts';

test('each mutant changes what stands once in its file', () => {
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
