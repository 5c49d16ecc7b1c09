import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { facades } from '../../controller/facades/index.ts';
import { decode } from '../../wire/decode.ts';
import { schemasAt } from '../../wire/facade-spec.ts';
import { versionsOf } from '../versions-of.ts';
import { createRandom } from '../../forecast/world/random.ts';
import { brokenArguments, validArguments } from './valid-arguments.ts';

const words = (member: string): readonly string[] => (member === 'tag' ? ['unit-a-0', 'machine-1'] : []);

describe.each(facades)('$spec.name', ({ spec }) => {
  test('a method’s schema allows its valid arguments', () => {
    const random = createRandom(1, spec.name);
    for (const [name, method] of Object.entries(spec.methods))
      for (const version of versionsOf(spec, name)) {
        const { params } = schemasAt(method, version);
        for (let n = 0; n < 5; n++) {
          const args = JSON.parse(JSON.stringify(validArguments(params, random, words))) as unknown;
          expect(() => decode(params, args), `${name} ${JSON.stringify(args)}`).not.toThrow();
        }
      }
  });
});

test('valid arguments contain names that exist, and each optional member now and then', () => {
  const schema = z.object({ tag: z.string(), count: z.int().optional() });
  const random = createRandom(2, 'valid');
  const made = Array.from({ length: 100 }, () => validArguments(schema, random, words)) as {
    tag: string;
    count?: number;
  }[];
  expect(new Set(made.map((one) => 'count' in one))).toEqual(new Set([true, false]));
  for (const tag of words('tag')) expect(made.some((one) => one.tag === tag)).toBe(true);
});

test('broken arguments differ from the valid ones in one place, at any depth', () => {
  const args = { a: { b: ['x', { c: 1 }] }, d: true };
  const random = createRandom(3, 'broken');
  const broken = Array.from({ length: 500 }, () => JSON.stringify(brokenArguments(args, random)) ?? '');
  expect(JSON.stringify(args)).toBe('{"a":{"b":["x",{"c":1}]},"d":true}');
  for (const kept of ['"d":true', '["x",{"c":1}]', '"x",{', '{"c":1}'])
    expect(new Set(broken.map((one) => one.includes(kept)))).toEqual(new Set([true, false]));
});
