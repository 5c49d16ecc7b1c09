/** Second statement, for tests, of which units see each other in a relation (relations.md#counterparts). */
import type { Role } from '../core/charm/metadata.ts';

/** Unit in a relation's scope; the store's ScopeDoc is one. */
export interface ScopeMember {
  readonly unit: string;
  readonly role: Role;
  /** Principal whose container the unit is in; '' in a global relation. */
  readonly container: string;
  readonly departing: boolean;
}

/**
 * Returns the members that a unit of the relation sees: members of the opposite role (in a peer relation: all other
 * members), in the same container, that are not departing.
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
