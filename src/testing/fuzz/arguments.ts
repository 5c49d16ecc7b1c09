/**
 * Arguments for facade methods, generated from their schemas: the smallest, the largest that a request may carry,
 * larger ones; and random ones at and beyond the limits of the schema.
 */
import type { z } from 'zod';
import { listMax } from '../../wire/decode.ts';
import type { Random } from '../../forecast/world/random.ts';

/** Names and tags that exist, by the name of the member, so that calls get further than their first look-up. */
export type Words = (member: string) => readonly string[];

/** Approximate size of a request's arguments as JSON. */
type Size = 'smallest' | { readonly bytes: number };

/** Returns arguments of a method at a size: lists, maps and texts share the bytes. */
export function argumentsOfSize(schema: z.core.$ZodType, size: Size, words: Words): unknown {
  return sized(schema, { bytes: size === 'smallest' ? 0 : size.bytes, member: '', turn: 0, words });
}

interface Room {
  readonly bytes: number;
  /** Name of the member that has the value. */
  readonly member: string;
  /** Index among similar values: each gets another word. */
  readonly turn: number;
  readonly words: Words;
}

function sized(schema: z.core.$ZodType, room: Room): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const { bytes, member, turn, words } = room;
  switch (def.type) {
    case 'string': {
      if (isTime(def)) return aTime;
      const known = words(member);
      const word = known[turn % Math.max(known.length, 1)] ?? '';
      return word !== '' ? word : 'x'.repeat(Math.min(Math.max(bytes, minLength(def)), maxLength(def)));
    }
    case 'object': {
      const members = Object.entries(def.shape);
      const growing = members.filter(([, inner]) => grows(inner)).length;
      const share = Math.floor(bytes / Math.max(growing, 1));
      return Object.fromEntries(
        members.map(([name, inner]) => [
          name,
          sized(inner, { ...room, member: name, bytes: grows(inner) ? share : 0 }),
        ]),
      );
    }
    case 'array':
      return several(bytes, (n) => sized(def.element, { ...room, bytes: 0, turn: n }), listMax(def));
    case 'record':
      return Object.fromEntries(
        several(bytes, (n) => [`k${n}`, sized(def.valueType, { ...room, bytes: 0, turn: n })] as const),
      );
    case 'tuple':
      return def.items.map((item) => sized(item, { ...room, bytes: 0 }));
    case 'unknown':
    case 'any':
      return several(bytes, (n) => `x${n}`);
    default: {
      const inner = innerOf(schema);
      return inner ? sized(inner, room) : leaf(schema);
    }
  }
}

const aTime = '2026-01-01T00:00:00Z';

export const isTime = (def: z.core.$ZodStringDef): boolean =>
  (def as Partial<z.core.$ZodISODateTimeDef>).format === 'datetime';

export function minLength({ checks = [] }: z.core.$ZodStringDef): number {
  for (const { _zod } of checks) {
    const def = _zod.def as z.core.$ZodCheckMinLengthDef;
    if (def.check === 'min_length') return def.minimum;
  }
  return 0;
}

export function maxLength({ checks = [] }: z.core.$ZodStringDef): number {
  for (const { _zod } of checks) {
    const def = _zod.def as z.core.$ZodCheckMaxLengthDef;
    if (def.check === 'max_length') return def.maximum;
  }
  return Infinity;
}

/** Makes at least one element, and as many as fit the bytes and `max`. */
function several<T>(bytes: number, make: (n: number) => T, max = Infinity): T[] {
  const made = [make(0)];
  const each = JSON.stringify(made[0] ?? null).length + 4;
  for (let n = 1; n < max && n * each + each < bytes; n++) made.push(make(n));
  return made;
}

function grows(schema: z.core.$ZodType): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const { type } = def;
  if (type === 'string') return !isTime(def) && maxLength(def) === Infinity;
  if (['array', 'record', 'object', 'unknown', 'any'].includes(type)) return true;
  const inner = innerOf(schema);
  return inner !== undefined && grows(inner);
}

export function innerOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'default':
    case 'prefault':
    case 'nullable':
    case 'readonly':
    case 'nonoptional':
    case 'catch':
      return def.innerType;
    case 'pipe':
      return def.in;
    case 'lazy':
      return def.getter();
    case 'union':
      return def.options[0];
    case 'intersection':
      return def.left;
    default:
      return undefined;
  }
}

export function leaf(schema: z.core.$ZodType): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'enum':
      return Object.values(def.entries)[0];
    case 'literal':
      return def.values[0];
    case 'boolean':
      return false;
    case 'number':
      return smallestNumber(def);
    default:
      return null;
  }
}

/** Zero, or the smallest whole number above a bound. */
function smallestNumber({ checks = [] }: z.core.$ZodNumberDef): number {
  for (const { _zod } of checks) {
    const def = _zod.def as z.core.$ZodCheckGreaterThanDef;
    if (def.check === 'greater_than') return Number(def.value) + (def.inclusive ? 0 : 1);
  }
  return 0;
}

/** Returns random arguments, with values of every kind that a caller may send, valid or not. */
export function wildArguments(schema: z.core.$ZodType, random: Random, words: Words): unknown {
  return wild(schema, { random, words, member: '', depth: 0 });
}

interface Chance {
  readonly random: Random;
  readonly words: Words;
  readonly member: string;
  readonly depth: number;
}

function wild(schema: z.core.$ZodType, chance: Chance): unknown {
  const { random } = chance;
  if (random.chance(0.02)) return nonsense(random, 0);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const deeper = { ...chance, depth: chance.depth + 1 };
  switch (def.type) {
    case 'string':
      return isTime(def) && random.chance(0.9) ? aTime : wildText(chance);
    case 'number': {
      const edges = [0, 1, -1, 2, 5, 17, 0.5, 2 ** 31, 2 ** 53, -(2 ** 53), 1e300, 1e-300];
      // Numbers of objects stay small, as they are created: models of very many units have benchmarks of their own.
      return pick(random, chance.member.startsWith('num') ? [...edges, 300] : [...edges, 65_535, 65_536]);
    }
    case 'boolean':
      return random.chance(0.5);
    case 'enum':
      return pick(random, Object.values(def.entries));
    case 'object':
      return Object.fromEntries(
        Object.entries(def.shape).flatMap(([name, inner]) =>
          random.chance(0.05) ? [] : [[name, wild(inner, { ...deeper, member: name })]],
        ),
      );
    case 'array':
      return Array.from({ length: count(chance) }, () => wild(def.element, deeper));
    case 'record':
      return Object.fromEntries(
        Array.from({ length: count(chance) }, () => [wildText(deeper), wild(def.valueType, deeper)]),
      );
    case 'tuple':
      return def.items.map((item) => wild(item, deeper));
    case 'union':
      return wild(pick(random, def.options), chance);
    case 'optional':
    case 'nullable':
      return random.chance(0.3) ? pick(random, [undefined, null]) : wild(def.innerType, chance);
    case 'unknown':
    case 'any':
      return nonsense(random, chance.depth);
    default: {
      const inner = innerOf(schema);
      return inner ? wild(inner, chance) : leaf(schema);
    }
  }
}

function count({ random, depth }: Chance): number {
  if (depth > 4) return random.int(0, 2);
  if (random.chance(0.005)) return pick(random, depth > 1 ? [100, 1_000] : [1_000, 10_000, 10_001]);
  return pick(random, [0, 1, 1, 1, 2, 3]);
}

/** Odd texts: existing names, input that terminals and shells interpret, half a surrogate pair, numbers, patterns. */
export const oddTexts: readonly string[] = [
  '',
  ' ',
  '0',
  '-1',
  'a',
  '*',
  '../..',
  '__proto__',
  'constructor',
  'toString',
  'null',
  '\u0000',
  '\u001b[2J\n',
  '\ud800',
  'ﬀ😀é',
  'a/0',
  'unit-',
  'user-@',
  'relation-1-2',
  '999999999999999999999',
  '1/lxd/999999999',
  '2026-01-01T00:00:00Z',
  '{}',
  'a=b',
  '(a+)+$',
  `${'*'.repeat(60)}x`,
  '&a [*a]',
];

function wildText({ random, words, member }: Chance): string {
  if (random.chance(0.7)) {
    const known = words(member);
    if (known.length > 0) return pick(random, known);
  }
  if (random.chance(0.02))
    return pick(random, ['x', '\n', 'é', '"']).repeat(pick(random, [255, 256, 1_025, 16_385, 65_537]));
  return pick(random, oddTexts);
}

export function nonsense(random: Random, depth: number): unknown {
  switch (random.int(0, depth > 6 ? 5 : 8)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return pick(random, [0, -1, 1e300, 0.1]);
    case 3:
    case 4:
      return pick(random, oddTexts);
    case 5:
      return [nonsense(random, depth + 1)];
    case 6:
      return { [pick(random, oddTexts)]: nonsense(random, depth + 1) };
    default:
      return nested(random.chance(0.1) ? pick(random, [100, 499, 600, 2_000]) : 3);
  }
}

function nested(depth: number): unknown {
  let value: unknown = 'x';
  for (let n = 0; n < depth; n++) value = n % 2 === 0 ? [value] : { a: value };
  return value;
}

export function pick<T>(random: Random, items: readonly T[]): T {
  return items[random.int(0, items.length)]!;
}
