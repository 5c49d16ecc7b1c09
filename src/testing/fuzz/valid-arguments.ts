/** Arguments that a method's schema allows, with meaningful values; and the same arguments with one value broken. */
import type { z } from 'zod';
import type { Random } from '../../forecast/world/random.ts';
import {
  innerOf,
  isTime,
  leaf,
  maxLength,
  minLength,
  nonsense,
  oddTexts,
  pick,
  type Words,
} from './arguments.ts';

/**
 * Returns random arguments of the schema's shape: names that exist where there are some for the member, small numbers.
 */
export function validArguments(schema: z.core.$ZodType, random: Random, words: Words): unknown {
  return valid(schema, { random, words, member: '', depth: 0 });
}

interface Chance {
  readonly random: Random;
  readonly words: Words;
  readonly member: string;
  readonly depth: number;
}

function valid(schema: z.core.$ZodType, chance: Chance): unknown {
  const { random, words, member, depth } = chance;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const deeper = { ...chance, depth: depth + 1 };
  switch (def.type) {
    case 'string':
      return isTime(def) ? '2026-01-01T00:00:00Z' : validText(def, chance);
    case 'number': {
      const known = words(member).map(Number).filter(Number.isInteger);
      const number = known.length > 0 && random.chance(0.8) ? pick(random, known) : random.int(0, 4);
      const { minValue } = schema as z.ZodNumber;
      return Math.max(number, minValue ?? number);
    }
    case 'boolean':
      return random.chance(0.5);
    case 'enum':
      return pick(random, Object.values(def.entries));
    case 'object':
      return Object.fromEntries(
        Object.entries(def.shape).flatMap(([name, inner]) => {
          const value = valid(inner, { ...deeper, member: name });
          return value === undefined ? [] : [[name, value]];
        }),
      );
    case 'array':
      return Array.from({ length: pick(random, [0, 1, 1, 1, 1, 2, 3]) }, () => valid(def.element, deeper));
    case 'record':
      return Object.fromEntries(
        Array.from({ length: random.int(0, 3) }, (_, n) => [
          words(`${member} key`)[n] ?? `k${n}`,
          valid(def.valueType, deeper),
        ]),
      );
    case 'tuple':
      return def.items.map((item) => valid(item, deeper));
    case 'union':
      return valid(pick(random, def.options), chance);
    case 'optional':
      // Deep arguments end; most optional members are left out, as clients do.
      return depth > 8 || random.chance(0.6) ? undefined : valid(def.innerType, chance);
    case 'nullable':
      return random.chance(0.3) ? null : valid(def.innerType, chance);
    case 'unknown':
    case 'any': {
      const known = words(member);
      return pick(random, [...(known.length > 0 ? known : ['x']), 1, true]);
    }
    default: {
      const inner = innerOf(schema);
      return inner ? valid(inner, chance) : leaf(schema);
    }
  }
}

function validText(def: z.core.$ZodStringDef, { random, words, member }: Chance): string {
  const known = words(member);
  const text = known.length > 0 && random.chance(0.9) ? pick(random, known) : pick(random, ['', 'x', 'a1']);
  return text.padEnd(minLength(def), 'x').slice(0, maxLength(def));
}

/** Returns the arguments with one value replaced, taken away, or changed a little, at any depth. */
export function brokenArguments(args: unknown, random: Random): unknown {
  const paths = pathsOf(args);
  return replaced(args, pick(random, paths), (value) => brokenValue(value, random));
}

type Path = readonly (string | number)[];

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Array.isArray(value)
    ? value.flatMap((one, n) => pathsOf(one, [...path, n]))
    : Object.entries(value).flatMap(([name, one]) => pathsOf(one, [...path, name]));
  return [path, ...inner];
}

function replaced(value: unknown, [first, ...rest]: Path, change: (value: unknown) => unknown): unknown {
  if (first === undefined) return change(value);
  if (Array.isArray(value))
    return value.map((one: unknown, n) => (n === first ? replaced(one, rest, change) : one));
  const object = value as Readonly<Record<string, unknown>>;
  const changed = replaced(object[first], rest, change);
  return { ...object, [first]: changed };
}

function brokenValue(value: unknown, random: Random): unknown {
  if (random.chance(0.2)) return undefined;
  if (random.chance(0.3)) return nonsense(random, 0);
  switch (typeof value) {
    case 'string':
      return brokenText(value, random);
    case 'number':
      return pick(random, [-value, value + 0.5, -1, 2 ** 31, 2 ** 53, 1e300]);
    case 'boolean':
      return pick(random, ['true', 1, null]);
    default:
      return Array.isArray(value) && value.length > 0
        ? [...(value as unknown[]), ...(value as unknown[])]
        : nonsense(random, 0);
  }
}

function brokenText(text: string, random: Random): string {
  const at = random.int(0, text.length + 1);
  return pick(random, [
    pick(random, oddTexts),
    text.slice(0, at),
    text.toUpperCase(),
    ` ${text}`,
    `${text}\n`,
    `${text.slice(0, at)}\u0000${text.slice(at)}`,
    text.repeat(2),
    `${text}@local`,
  ]);
}
