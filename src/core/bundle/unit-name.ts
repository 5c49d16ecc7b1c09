import type { UnitRef } from './step.ts';

/**
 * The name of a unit among those of its application, or the name that a new one will have if the application never had
 * others.
 */
export function unitName(existing: readonly string[], { application, index }: UnitRef): string {
  const known = existing[index];
  if (known !== undefined) return known;
  const last = existing.at(-1);
  const next = last === undefined ? 0 : Number(last.slice(last.indexOf('/') + 1)) + 1;
  return `${application}/${next + index - existing.length}`;
}
