/** Which units meet in a relation (relations.md#counterparts, relations.md#takes-part). */
import type { Scope } from '../charm/metadata.ts';

/**
 * The container in which a unit meets its counterparts: that of its principal (or of itself, if it is one); '' when the
 * relation is global.
 */
export function containerOf(
  unit: { readonly name: string; readonly principal?: string },
  scope: Scope,
): string {
  return scope === 'global' ? '' : (unit.principal ?? unit.name);
}

/**
 * Whether a unit takes part in a relation of its application at all. A subordinate takes no part in a container
 * relation between its application and a principal other than its own: the other side must be its principal's
 * application, or a subordinate too.
 */
export function takesPart(unit: {
  readonly scope: Scope;
  /** The principal's application; undefined for principals. */
  readonly principalApplication?: string;
  readonly remoteApplication: string;
  readonly remoteSubordinate: boolean;
}): boolean {
  if (unit.scope === 'global' || unit.principalApplication === undefined) return true;
  return unit.remoteSubordinate || unit.remoteApplication === unit.principalApplication;
}
