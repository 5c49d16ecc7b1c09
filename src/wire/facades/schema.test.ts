/**
 * Pins the schemas of the whole API, so that parts that clients and agents of other versions rely on change only on
 * purpose.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { hasVersion, schemasAt, type FacadeSpec } from '../facade-spec.ts';
import { facades } from './index.ts';

/** Description of a facade as clients see it: its versions, their results and their refusals. */
function described({ name, on, own, versions, methods, notServed = {}, ...rest }: FacadeSpec): unknown {
  rest satisfies Record<string, never>;
  return {
    name,
    on,
    own,
    versions: versions.map((version) => ({
      version,
      methods: Object.entries(methods)
        .filter(([, spec]) => hasVersion(spec, version))
        .map(([method, spec]) => {
          const { params, result } = schemasAt(spec, version);
          return [method, jsonSchema(params, 'input'), jsonSchema(result, 'output')];
        })
        .sort(byName),
      notServed: Object.entries(notServed)
        .filter(([, refusal]) => hasVersion(refusal, version))
        .map(([method, { code, message }]) => [method, code, message])
        .sort(byName),
    })),
  };
}

function byName([a]: readonly unknown[], [b]: readonly unknown[]): number {
  return String(a) < String(b) ? -1 : 1;
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): unknown {
  return z.toJSONSchema(schema, { io, unrepresentable: 'any' });
}

/** Sorts members: clients do not see the order of their declaration. */
function inOrder(key: string, value: unknown): unknown {
  if (Array.isArray(value)) return key === 'required' ? [...(value as string[])].sort() : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).sort(byName));
}

function hashOf(specs: readonly FacadeSpec[]): string {
  const text = JSON.stringify(specs.map(described), inOrder);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

const history = readFileSync(join(import.meta.dirname, 'schema-history.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

test('the schemas of all facades are the ones that the history names last', () => {
  const hash = hashOf(facades);
  const [, pinned] = history.at(-1)!.split(' ');
  expect(
    hash,
    `The schemas of the API have changed. If that was not meant, undo it. If it was: clients of each announced version
must still find its methods with its shapes (a change that they could not read takes a new version: since, until,
older); then say so at the end of src/wire/facades/schema-history.txt:
<day> ${hash} <why>`,
  ).toBe(pinned);
});

test('the history of the schemas says when and why they changed, oldest first', () => {
  for (const line of history) expect(line).toMatch(/^\d{4}-\d{2}-\d{2} [0-9a-f]{16} \S.*$/);
  const days = history.map((line) => line.slice(0, 10));
  expect(days).toEqual([...days].sort());
});

const text = z.string();
const spec = {
  name: 'Sample',
  versions: [1, 2],
  on: 'model',
  methods: {
    Get: { params: z.object({ a: text, b: text.exactOptional() }), result: z.strictObject({ c: text }) },
    List: { params: z.object({}), result: z.strictObject({}) },
  },
} as const satisfies FacadeSpec;
const { Get, List } = spec.methods;

test.each<[string, FacadeSpec]>([
  ['a version', { ...spec, versions: [1, 2, 3] }],
  ['a method', { ...spec, methods: { Get } }],
  ['the versions of a method', { ...spec, methods: { List, Get: { ...Get, since: 2 } } }],
  [
    'a member that may be absent',
    { ...spec, methods: { List, Get: { ...Get, result: z.strictObject({ c: text.optional() }) } } },
  ],
  [
    'a limit of a list',
    { ...spec, methods: { Get, List: { ...List, params: z.object({ a: z.array(text).max(3) }) } } },
  ],
  [
    'the schema of an older version',
    { ...spec, methods: { List, Get: { ...Get, older: [{ until: 1, params: List.params }] } } },
  ],
  ['what is refused', { ...spec, notServed: { Set: { code: 'not supported', message: 'no' } } }],
])('the hash tells of %s', (_what, changed) => {
  expect(hashOf([changed])).not.toBe(hashOf([spec]));
});

test('the hash does not depend on the order of declarations', () => {
  const params = z.object({ b: text.exactOptional(), a: text });
  expect(hashOf([{ ...spec, methods: { List, Get: { ...Get, params } } }])).toBe(hashOf([spec]));
});
