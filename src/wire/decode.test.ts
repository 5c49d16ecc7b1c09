import fc from '../testing/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { JujuError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { decode, decoderFor } from './decode.ts';

const inner = z.object({ name: z.string(), 'num-units': z.int() });
const schema = z.object({
  tag: z.string(),
  count: z.int(),
  share: z.number(),
  force: z.boolean(),
  items: z.array(inner),
  values: z.record(z.string(), z.string()),
  nested: inner,
  maybe: z.string().optional(),
  wait: z.int().default(7),
  free: z.unknown(),
});
const zero = {
  tag: '',
  count: 0,
  share: 0,
  force: false,
  items: [],
  values: {},
  nested: { name: '', 'num-units': 0 },
  wait: 7,
  free: null,
};

describe('decode', () => {
  it.each([
    ['absent', undefined],
    ['null', null],
    ['empty', {}],
    ['all null', Object.fromEntries([...Object.keys(zero), 'maybe'].map((key) => [key, null]))],
  ])('%s is the zero value', (_name, value) => {
    expect(decode(schema, value)).toEqual(zero);
  });

  it('keys match without regard to case, the exact spelling first', () => {
    expect(decode(inner, { NAME: 'a', 'Num-Units': 2 })).toEqual({ name: 'a', 'num-units': 2 });
    expect(decode(inner, { name: 'exact', Name: 'other' }).name).toBe('exact');
    expect(decode(inner, { Name: 'other', name: 'exact' }).name).toBe('exact');
  });

  it('unknown members are dropped', () => {
    expect(decode(inner, { name: 'a', colour: 'red' })).toEqual({ name: 'a', 'num-units': 0 });
  });

  it('null elements become zero values', () => {
    expect(decode(z.array(inner), [null])).toEqual([{ name: '', 'num-units': 0 }]);
    expect(decode(z.record(z.string(), z.string()), { a: null })).toEqual({ a: '' });
  });

  it('a member called __proto__ does not change the prototype', () => {
    const value: unknown = JSON.parse(
      '{"__proto__":{"tag":"x"},"values":{"__proto__":"x","a":"b"},"free":{"__proto__":{"x":1},"y":[{"__proto__":2}]}}',
    );
    const decoded = decode(schema, value);
    expect(decoded.tag).toBe('');
    expect(decoded.values).toEqual({ a: 'b' });
    expect(JSON.stringify(decoded.free)).toBe('{"y":[{}]}');
    expect(({} as Record<string, unknown>)['tag']).toBeUndefined();
  });

  it('a free-form value without such a member is not copied', () => {
    const value = JSON.parse('{"free":{"x":{"y":[1]}}}') as { free: object };
    expect(decode(schema, value).free).toBe(value.free);
  });

  it('unknown members are kept where the schema is loose', () => {
    expect(decode(z.looseObject({ a: z.string() }), { b: 1 })).toEqual({ a: '', b: 1 });
  });

  it('a union takes the alternative that fits', () => {
    const value = z.union([z.string(), z.object({ scope: z.string() })]);
    expect(decode(value, 'x')).toBe('x');
    expect(decode(value, { Scope: 'y' })).toEqual({ scope: 'y' });
    expect(() => decode(value, 3)).toThrow(
      'json: cannot unmarshal number 3 into Go value of type any of several types',
    );
  });

  it('a recursive schema is decoded recursively', () => {
    const tree: z.ZodType<{ name: string }> = z.lazy(() =>
      z.object({ name: z.string(), children: z.array(tree) }),
    );
    expect(decode(tree, { name: 'a', children: [{ Name: 'b' }] })).toEqual({
      name: 'a',
      children: [{ name: 'b', children: [] }],
    });
  });

  it.each([
    [{ tag: 1 }, 'json: cannot unmarshal number 1 into Go struct field params.tag of type string'],
    [{ count: '1' }, 'json: cannot unmarshal string into Go struct field params.count of type int64'],
    [{ count: 1.5 }, 'json: cannot unmarshal number 1.5 into Go struct field params.count of type int64'],
    [{ force: 'yes' }, 'json: cannot unmarshal string into Go struct field params.force of type bool'],
    [{ items: {} }, 'json: cannot unmarshal object into Go struct field params.items of type array'],
    [
      { items: [{ name: [] }] },
      'json: cannot unmarshal array into Go struct field params.items.name of type string',
    ],
    [{ values: [] }, 'json: cannot unmarshal array into Go struct field params.values of type map'],
    [[], 'json: cannot unmarshal array into Go value of type object'],
    [true, 'json: cannot unmarshal bool into Go value of type object'],
  ])('decode refuses %j', (value, message) => {
    expect(() => decode(schema, value)).toThrow(new JujuError('', message));
  });

  it('numbers that do not fit into Go’s unsigned types are refused', () => {
    expect(() => decode(z.object({ mem: z.int().min(0) }), { mem: -50 })).toThrow(
      'json: cannot unmarshal number -50 into Go struct field params.mem of type uint64',
    );
  });

  it('a failed check is a bad request that names the member', () => {
    const error = (() => {
      try {
        decode(z.object({ kind: z.enum(['a', 'b']) }), { kind: 'c' });
      } catch (caught) {
        return caught;
      }
    })();
    expect(error).toMatchObject({ name: 'JujuError', code: 'bad request' });
    expect((error as JujuError).message).toMatch(/^kind: /);
  });

  it('any JSON either decodes or is refused', () => {
    const decoder = decoderFor(schema);
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        try {
          expect(schema.safeParse(decoder(value)).success).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(JujuError);
        }
      }),
    );
  });

  it('deeply nested values are refused before the stack overflows', () => {
    const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
    expect(() => decode(schema, { free: deep })).toThrow('json: exceeded max depth');
  });
});

it('a list has at most the default number of entries, or the maximum of its schema', () => {
  const { max } = limits.listEntries;
  const list = (length: number): unknown => ({ of: { names: Array(length).fill('a') } });
  const usual = z.object({ of: z.object({ names: z.array(z.string()) }) });
  expect(() => decode(usual, list(max))).not.toThrow();
  expect(() => decode(usual, list(max + 1))).toThrow(
    `of.names: ${max + 1} entries exceed the limit of ${max}`,
  );
  const longer = z.object({ of: z.object({ names: z.array(z.string()).max(max + 1) }) });
  expect(() => decode(longer, list(max + 1))).not.toThrow();
  expect(() => decode(longer, list(max + 2))).toThrow('exceed the limit');
});

it('a map has at most the default number of entries', () => {
  const { max } = limits.mapEntries;
  const schema = z.object({ of: z.object({ values: z.record(z.string(), z.string()) }) });
  const map = (length: number): unknown => ({
    of: { values: Object.fromEntries(Array.from({ length }, (_, n) => [`k${n}`, 'a'])) },
  });
  expect(() => decode(schema, map(max))).not.toThrow();
  expect(() => decode(schema, map(max + 1))).toThrow(
    `of.values: ${max + 1} entries exceed the limit of ${max}`,
  );
});
