import { expect, test } from 'vitest';
import { generateScript } from './generate-script.ts';
import { runScript } from './run-script.ts';
import { faultKinds } from './world.ts';

const hours = 0.05;

/** A few of the worlds of `npm run test:sim`, with all checks. */
test.each([1, 2, 3])('the world of seed %i has no violations', async (seed) => {
  const outcome = await runScript(generateScript({ seed, hours }));
  expect(outcome.violation).toBeUndefined();
  expect(outcome.commands.deploy?.ok).toBeGreaterThan(0);
});

test('the same seed gives the same world, and another seed another', async () => {
  const hashes: string[] = [];
  for (const seed of [4, 4, 5]) hashes.push((await runScript(generateScript({ seed, hours }))).traceHash);
  expect(hashes[0]).toBe(hashes[1]);
  expect(hashes[0]).not.toBe(hashes[2]);
});

test('a hundred scripts have each kind of fault, and steps in chronological order', () => {
  const scripts = Array.from({ length: 100 }, (_, seed) => generateScript({ seed, hours }));
  const kinds = scripts.flatMap(({ steps }) =>
    steps.flatMap((step) => ('trouble' in step ? [step.trouble] : [])),
  );
  expect(new Set(kinds)).toEqual(new Set(faultKinds));
  for (const { steps } of scripts) expect(steps).toEqual(steps.toSorted((a, b) => a.atMs - b.atMs));
});
