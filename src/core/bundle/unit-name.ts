import type { UnitRef } from './step.ts';

/**
 * The name of a unit among those of its application, or the name that a new one will have if the application never had
 * others. `last`: the one with the highest number, when that is none of them.
 */
export function unitName(
  existing: readonly string[],
  { application, index }: UnitRef,
  last = existing.at(-1),
): string {
  const known = existing[index];
  if (known !== undefined) return known;
  const next = last === undefined ? 0 : Number(last.slice(last.indexOf('/') + 1)) + 1;
  return `${application}/${next + index - existing.length}`;
}
