/** Every order of steps in a few small worlds; `npm run test:properties` and `npm run test:lives` walk through more. */
import { expect, test } from 'vitest';
import { some } from '../thorough.ts';
import { gates } from './gated-worlds.ts';
import { shorten } from './shorten.ts';
import { Fault, walk, type SmallWorld } from './walk.ts';
import { beginnings, containers, crowds, imports, ownDisks, storages, waiting } from './worlds.ts';

test.each(
  some(
    [
      ...beginnings,
      ...crowds.slice(1),
      ...containers,
      ...waiting,
      ...gates,
      ...storages,
      ...ownDisks,
      ...imports,
    ],
    8,
  ).map((small) => [small.name, small] as const),
)('every order of steps keeps the rules: %s', async (_, small) => {
  const walked = await walkThrough(small);
  expect(walked.quiet).toBeGreaterThan(0);
});

async function walkThrough(small: SmallWorld): ReturnType<typeof walk> {
  try {
    return await walk(small);
  } catch (error) {
    throw error instanceof Fault ? await shorten(small, error) : error;
  }
}
