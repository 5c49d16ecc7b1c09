import { describe, expect, test } from 'vitest';
import { facades } from '../../controller/facades/index.ts';
import { decode } from '../../wire/decode.ts';
import { schemasAt } from '../../wire/facade-spec.ts';
import { versionsOf } from '../versions-of.ts';
import { createRandom } from '../../forecast/world/random.ts';
import { isThorough, some } from '../thorough.ts';
import { argumentsOfSize, wildArguments } from './arguments.ts';

const methods = facades.flatMap(({ spec }) =>
  Object.entries(spec.methods).flatMap(([name, method]) =>
    versionsOf(spec, name).map((version) => ({
      name: `${spec.name}(${version}).${name}`,
      params: schemasAt(method, version).params,
    })),
  ),
);
const words = (): readonly string[] => [];
const lengthOf = (value: unknown): number => JSON.stringify(value).length;
const sizes = isThorough ? [10_000, 50_000] : [10_000];
/** Maximum length of arguments that do not depend on the size. */
const small = lengthOf(argumentsOfSize(methods[0]!.params, 'smallest', words)) + 1_000;

describe.each(methods)('$name', ({ params }) => {
  test('arguments of any size that the schema allows are generated', () => {
    const smallest = argumentsOfSize(params, 'smallest', words);
    expect(() => decode(params, smallest)).not.toThrow();
    for (const bytes of sizes) {
      const value = argumentsOfSize(params, { bytes }, words);
      expect(() => decode(params, value)).not.toThrow();
      // Lists that share their bytes with texts are shorter; methods without lists and texts do not grow.
      const length = lengthOf(value);
      expect(length < small || (length > bytes / 10 && length < bytes * 1.5), `${length} of ${bytes}`).toBe(
        true,
      );
    }
  });
});

test('equal seeds give equal arguments, and different seeds different ones', () => {
  const all = (seed: number): string => {
    const random = createRandom(seed, 'fuzz');
    return JSON.stringify(some(methods, 100).map(({ params }) => wildArguments(params, random, words)));
  };
  const first = all(1);
  expect(all(1)).toBe(first);
  expect(all(2)).not.toBe(first);
});
