/** Which units see each other in a relation (relations.md#counterparts), stated a second time for tests. */
import type { Role } from '../core/charm/metadata.ts';

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
