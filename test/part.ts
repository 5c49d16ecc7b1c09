/**
 * Parts of long suites. CI draws a part anew each time, prints its number, and passes it to the suites as GRIGRI_PART;
 * `GRIGRI_PART=N npm run test:…` repeats it. Without it, suites run whole.
 */
import { createHash } from 'node:crypto';
import { defined } from '../src/core/defined.ts';

export const partVariable = 'GRIGRI_PART';
export const partMax = 2 ** 31 - 1;

/**
 * Returns the number of the part to run; undefined = everything. Errors: RangeError for a text that is no number of a
 * part.
 */
export function partOf(env: Readonly<Record<string, string | undefined>> = process.env): number | undefined {
  const text = env[partVariable] ?? '';
  if (text === '') return undefined;
  const part = Number(text);
  if (!/^\d+$/.test(text) || part > partMax)
    throw new RangeError(`${partVariable}=${text}: not a number from 0 to ${partMax}`);
  return part;
}

/** Returns the environment with this part; without a part, for undefined. */
export function withPart(env: NodeJS.ProcessEnv, part: number | undefined): NodeJS.ProcessEnv {
  const { [partVariable]: _, ...rest } = env;
  return { ...rest, ...defined({ [partVariable]: part?.toString() }) };
}

/** Returns a value in [0, 1) that part and name determine, evenly distributed over parts as over names. */
export function lot(part: number, name: string): number {
  return createHash('sha256').update(`${part} ${name}`).digest().readUInt32BE() / 2 ** 32;
}

interface Choice<T> {
  /** Number of items to draw; all, when there are no more items. */
  readonly count: number;
  /** Returns the name of an item, which no other item has. */
  readonly nameOf: (item: T) => string;
}

/** Returns the items of the part, in their order; all items for undefined. */
export function drawPart<T>(
  part: number | undefined,
  items: readonly T[],
  { count, nameOf }: Choice<T>,
): T[] {
  if (part === undefined) return [...items];
  const byLot = items
    .map((item) => ({ item, lot: lot(part, nameOf(item)) }))
    .toSorted((one, other) => one.lot - other.lot);
  const drawn = new Set(byLot.slice(0, count).map(({ item }) => item));
  return items.filter((item) => drawn.has(item));
}

/** Returns a line that says which part runs, and how to repeat it. */
export function sayPart(
  part: number,
  drawn: readonly unknown[],
  all: readonly unknown[],
  what: string,
): string {
  return `${drawn.length} of ${all.length} ${what}; again: ${partVariable}=${part}`;
}
