import AjvDraft04 from 'ajv-draft-04';
import { describe, expect, test } from 'vitest';
import { limits } from '../../core/limits.ts';
import fc, { runs } from '../../testing/fast-check.ts';
import { checkSchema } from './check-schema.ts';
import { insertDefaults } from './insert-defaults.ts';
import { patternSize } from './pattern-size.ts';
import { validate } from './validate.ts';
import { SchemaWork } from './work.ts';

const check = (schema: object): void => checkSchema(schema as never, new SchemaWork());
const problemsOf = (schema: object, value: unknown): string =>
  validate(schema as never, value, new SchemaWork());

describe('a value is checked', () => {
  test.each<[object, unknown, string]>([
    [{ type: 'string' }, 5, 'must be of type string, given 5'],
    [{ type: ['string', 'null'] }, 5, 'must be of type [string,null], given 5'],
    [{ type: 'integer' }, 1.5, 'must be of type integer, given 1.5'],
    [{ enum: ['a', 1] }, 'b', 'must match one of the enum values ["a",1], given "b"'],
    [{ multipleOf: 0.1 }, 0.25, 'must be a multiple of 0.1, given 0.25'],
    [{ minimum: 3 }, 2, 'must be greater than or equal to 3, given 2'],
    [{ minimum: 3, exclusiveMinimum: true }, 3, 'must be greater than 3, given 3'],
    [{ maximum: 3 }, 4, 'must be lower than or equal to 3, given 4'],
    [{ maximum: 3, exclusiveMaximum: true }, 3, 'must be lower than 3, given 3'],
    [{ minLength: 2 }, '🎉', 'string length must be greater or equal to 2, given "🎉"'],
    [{ maxLength: 1 }, 'ab', 'string length must be lower or equal to 1, given "ab"'],
    [{ pattern: '^a+$' }, 'ab', 'does not match pattern \'^a+$\', given "ab"'],
    [{ items: [{}], additionalItems: false }, [1, 2], 'no additional item allowed on array, given [1,2]'],
    [{ minItems: 2 }, [1], 'array must have at least 2 items, given [1]'],
    [{ maxItems: 1 }, [1, 2], 'array must have at the most 1 items, given [1,2]'],
    [
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      'array items must be unique, given [{"a":1,"b":2},{"b":2,"a":1}]',
    ],
    [{ required: ['a'] }, {}, '"a" property is missing and required, given {}'],
    [{ minProperties: 1 }, {}, 'must have at least 1 properties, given {}'],
    [{ maxProperties: 0 }, { a: 1 }, 'must have at the most 0 properties, given {"a":1}'],
    [
      { properties: { b: {} }, patternProperties: { '^c': {} }, additionalProperties: false },
      { a: 1, b: 1, c: 1 },
      'additional property "a" is not allowed, given {"a":1,"b":1,"c":1}',
    ],
    [{ dependencies: { a: ['b'] } }, { a: 1 }, 'has a dependency on b, given {"a":1}'],
    [{ not: {} }, 1, 'must not validate the schema (not), given 1'],
  ])('by %j: %j', (schema, value, message) => {
    check(schema);
    expect(problemsOf(schema, value)).toBe(`(root) : ${message}`);
  });

  test.each<[object, unknown, string]>([
    [{ properties: { a: { properties: { b: { type: 'string' } } } } }, { a: { b: 1 } }, '(root).a.b'],
    [{ items: { type: 'string' } }, ['a', 1], '(root).1'],
    [{ items: [{}], additionalItems: { type: 'string' } }, [1, 1], '(root).1'],
    [{ patternProperties: { '^a': { type: 'string' } } }, { ab: 1 }, '(root).ab'],
    [{ additionalProperties: { type: 'string' } }, { a: 1 }, '(root).a'],
  ])('inside, with the path in the error, by %j: %j', (schema, value, path) => {
    check(schema);
    expect(problemsOf(schema, value)).toBe(`${path} : must be of type string, given 1`);
  });

  test('a choice of schemas, none of which fits, reports the nearest one', () => {
    const near = { type: 'string', maxLength: 3 };
    expect(problemsOf({ anyOf: [{ type: 'integer' }, near] }, 'abcd')).toBe(
      '(root) : must validate at least one schema (anyOf), given "abcd"; (root) : must be of type integer, given "abcd"',
    );
    expect(problemsOf({ oneOf: [near, {}] }, 'a')).toBe(
      '(root) : must validate one and only one schema (oneOf), given "a"',
    );
    expect(problemsOf({ allOf: [near, {}] }, 'abcd')).toMatch(
      /lower or equal to 3.*\(allOf\), given "abcd"$/,
    );
  });

  test('at most ten problems are reported, and only the beginning of long values', () => {
    const required = Array.from({ length: 20 }, (_, n) => `p${n}`);
    const problems = problemsOf({ required }, { long: 'x'.repeat(100_000) });
    expect(problems.split('; ')).toHaveLength(10);
    expect(problems.length).toBeLessThan(20_000);
  });
});

describe('a schema', () => {
  test.each<[object, string]>([
    [
      { type: 'str' },
      'type: expected one of array, boolean, integer, null, number, object, string, or a list',
    ],
    [{ properties: { a: null } }, 'properties.a: expected a schema, got null'],
    [{ properties: { a: { required: true } } }, 'properties.a.required: expected a list of names, got true'],
    [{ items: [{ minLength: -1 }] }, 'items.0.minLength: expected a number of at least 0, got -1'],
    [{ exclusiveMinimum: 3 }, 'exclusiveMinimum: expected bool, got 3'],
    [{ multipleOf: 0 }, 'multipleOf: expected a number above 0, got 0'],
    [{ anyOf: [] }, 'anyOf: expected a list of schemas, got []'],
    [{ pattern: '(?=a)' }, 'pattern: invalid pattern "(?=a)": error parsing regexp'],
    [{ patternProperties: { '[': {} } }, 'patternProperties.[: invalid pattern "[": '],
    [{ properties: { a: { $ref: '#' } } }, 'schema key "$ref" not compatible with this version of juju'],
    [{ default: [{ $schema: '' }] }, 'schema key "$schema" not compatible with this version of juju'],
  ])('%j is refused', (schema, message) => {
    expect(() => check(schema)).toThrow(expect.objectContaining({ code: 'not valid' }));
    expect(() => check(schema)).toThrow(message);
  });

  test('may have keys of its own, and unknown formats', () => {
    check({ type: 'string', format: 'uuid', 'x-note': { a: 1 } });
  });
});

test.each<[object, object, object]>([
  [{ a: { default: 1 } }, {}, { a: 1 }],
  [{ a: { default: 1 } }, { a: null, b: 2 }, { a: null, b: 2 }],
  [{ a: { properties: { b: { default: 1 } } } }, {}, { a: { b: 1 } }],
  [{ a: { properties: { b: { default: 1 } } } }, { a: { c: 2 } }, { a: { b: 1, c: 2 } }],
  [{ a: { properties: { b: {} } } }, {}, {}],
  [{ a: { properties: { b: { default: 1 } } } }, { a: 'text' }, { a: 'text' }],
  [{ a: { items: { properties: { b: { default: 1 } } } } }, { a: [{}] }, { a: [{}] }],
])('the defaults of the schema %j are filled in in %j', (properties, value, full) => {
  expect(insertDefaults({ properties }, value as never, new SchemaWork())).toEqual(full);
});

test('a default for __proto__ becomes an ordinary property', () => {
  const properties = JSON.parse('{"__proto__": {"default": {"a": 1}}}') as object;
  const full = insertDefaults({ properties }, {}, new SchemaWork());
  expect(Object.getPrototypeOf(full)).toBe(Object.prototype);
  expect(Object.keys(full)).toEqual(['__proto__']);
});

describe('the cost', () => {
  const tooMuch = expect.objectContaining({ code: 'quota limit exceeded' }) as unknown;
  const list = (length: number): number[] => Array.from({ length }, (_, n) => n);

  test('of a request has a limit, limits.schemaSteps, for all its schemas and values together', () => {
    const work = new SchemaWork();
    const schema = { items: { type: 'integer' } };
    const most = limits.schemaSteps.max / 4 - 1;
    expect(validate(schema, list(most), work)).toBe('');
    expect(() => validate(schema, [], work)).toThrow(tooMuch);
  });

  test.each<[string, object, unknown]>([
    ['many lists in each other', { items: { items: { items: {} } } }, [list(800).map(() => list(800))]],
    ['unlike items', { uniqueItems: true }, list(700_000)],
    ['a long choice', { items: { enum: list(2_000) } }, list(2_000)],
    ['a pattern on a long text', { pattern: '^(([ab]?){500}){2}[^ab]' }, 'ab'.repeat(50_000)],
    ['a pattern on many texts', { items: { pattern: '^[a-z]*$' } }, list(100_000).map(String)],
    [
      'many patterns of names',
      { patternProperties: Object.fromEntries(list(5000).map((n) => [`${n}`, {}])) },
      { a: 1 },
    ],
  ])('of %s is counted', (_, schema, value) => {
    expect(() => problemsOf(schema, value)).toThrow(tooMuch);
  });

  test('of a pattern that nearly backtracks is small', () => {
    expect(problemsOf({ pattern: '^(a+)+$' }, `${'a'.repeat(10_000)}b`)).toMatch(/does not match/);
  });

  test('of a pattern has a limit, limits.patternSize', () => {
    const { max } = limits.patternSize;
    check({ pattern: 'a'.repeat(max) });
    check({ pattern: '(?:a{10}){90}' });
    expect(() => check({ pattern: 'a'.repeat(max + 1) })).toThrow(tooMuch);
    expect(() => check({ pattern: `a{1000}b{1000}c` })).toThrow(tooMuch);
    expect(() => check({ pattern: '(?:abc){900}' })).toThrow(tooMuch);
  });
});

test.each([
  ['', 0],
  ['abc', 3],
  ['a{3}', 3],
  ['a{2,5}b', 6],
  ['a{2,}', 2],
  ['[a-z]{3}[]x]{2}', 5],
  [String.raw`\d{3}\{3}`, 6],
  ['(ab{3}){10}', 50],
  ['((a{2}){2}){2}', 14],
  ['(a', 1],
  ['a)', 2],
  [String.raw`\Q(((\E`, 7],
])('the size of the pattern %s is %i', (pattern, size) => {
  expect(patternSize(pattern)).toBe(size);
});

const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, 'a', 'ab', 'b', '', -1, 0, 1, 2, 2.5, 4),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'ab'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;
const types = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
const few = fc.integer({ min: 0, max: 3 });
const patterns = fc.constantFrom('^a', 'b$', '^(a|b)+$', '[^a]');
const schemas = fc.letrec((tie) => {
  const schema = tie('schema');
  const several = fc.array(schema, { minLength: 1, maxLength: 3 });
  const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'ab'), { minLength: 1 });
  const map = (of: typeof schema) => fc.dictionary(fc.constantFrom('a', 'b'), of, { maxKeys: 2 });
  const parts = {
    type: fc.oneof(fc.constantFrom(...types), fc.uniqueArray(fc.constantFrom(...types), { minLength: 1 })),
    enum: fc.uniqueArray(values, { minLength: 1, maxLength: 4, selector: (one) => JSON.stringify(one) }),
    multipleOf: fc.constantFrom(1, 2, 0.5),
    minLength: few,
    maxLength: few,
    pattern: patterns,
    items: fc.oneof(schema, several),
    additionalItems: fc.oneof(fc.boolean(), schema),
    minItems: few,
    maxItems: few,
    uniqueItems: fc.boolean(),
    required: names,
    minProperties: few,
    maxProperties: few,
    properties: map(schema),
    patternProperties: fc.dictionary(patterns, schema, { maxKeys: 2 }),
    additionalProperties: fc.oneof(fc.boolean(), schema),
    dependencies: map(fc.oneof(names, schema)),
    allOf: several,
    anyOf: several,
    oneOf: several,
    not: schema,
  };
  const bounds = fc.record({ least: few, most: few, above: fc.boolean(), below: fc.boolean() });
  return {
    schema: fc.oneof(
      { maxDepth: 4 },
      bounds.map(({ least, most, above, below }) => ({
        minimum: least,
        maximum: most,
        exclusiveMinimum: above,
        exclusiveMaximum: below,
      })),
      ...Object.entries(parts).map(([keyword, argument]) => fc.record({ [keyword]: argument })),
      fc.record(parts, { requiredKeys: [] }),
    ),
  };
}).schema;

test('a value passes exactly when ajv accepts it', () => {
  const Ajv = AjvDraft04.default;
  let passed = 0;
  fc.assert(
    fc.property(schemas, fc.array(values, { minLength: 5, maxLength: 10 }), (schema, all) => {
      const theirs = new Ajv({ strict: false, allErrors: true }).compile(schema as object);
      check(schema as object);
      for (const value of all) {
        const passes = theirs(value);
        if (passes) passed++;
        const problems = problemsOf(schema as object, value);
        expect([problems === '', problems, value]).toEqual([passes, problems, value]);
      }
    }),
    { numRuns: runs(3000) },
  );
  expect(passed).toBeGreaterThan(10);
});
