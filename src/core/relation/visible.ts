/** Which units see each other in a relation (relations.md#counterparts, relations.md#takes-part). */
import type { Role, Scope } from '../charm/metadata.ts';

/** A unit in a relation's scope; the store's ScopeDoc is one. */
export interface ScopeMember {
  readonly unit: string;
  readonly role: Role;
  /** The principal whose container the unit is in; '' in a global relation. */
  readonly container: string;
  readonly departing: boolean;
}

/**
 * The members that a unit of the relation sees: those of the opposite role (in a peer relation: the others), in the
 * same container, that are not departing.
 */
export function counterparts<M extends ScopeMember>(
  self: Pick<ScopeMember, 'unit' | 'role' | 'container'>,
  members: Iterable<M>,
): M[] {
  const role = counterpartRole(self.role);
  return [...members].filter(
    (other) =>
      other.unit !== self.unit &&
      other.role === role &&
      other.container === self.container &&
      !other.departing,
  );
}

function counterpartRole(role: Role): Role {
  switch (role) {
    case 'provider':
      return 'requirer';
    case 'requirer':
      return 'provider';
    case 'peer':
      return 'peer';
  }
}

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
