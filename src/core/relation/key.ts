/** Names of relations and their endpoints (relations.md#keys). */
import type { Role } from '../charm/metadata.ts';
import { JujuError } from '../errors.ts';
import { isApplicationName, isEndpointName } from '../names.ts';

interface NamedEndpoint {
  readonly application: string;
  readonly name: string;
  readonly role: Role;
}

const order: Readonly<Record<Role, number>> = { requirer: 0, provider: 1, peer: 2 };

/** The canonical name: `wordpress:db mysql:server`; of a peer relation `etcd:cluster`. */
export function relationKey(endpoints: readonly NamedEndpoint[]): string {
  return [...endpoints]
    .sort((a, b) => order[a.role] - order[b.role] || (formatEndpoint(a) < formatEndpoint(b) ? -1 : 1))
    .map(formatEndpoint)
    .join(' ');
}

/** An endpoint as text: `mysql:server`. */
export function formatEndpoint({ application, name }: { application: string; name: string }): string {
  return `${application}:${name}`;
}

/** Parses `mysql` or `mysql:server`. Errors: `not valid`. */
export function parseEndpointText(text: string): { application: string; name?: string } {
  const [application, name, ...rest] = text.split(':');
  const valid =
    rest.length === 0 && isApplicationName(application ?? '') && (name === undefined || isEndpointName(name));
  if (!valid || application === undefined) throw new JujuError('not valid', `invalid endpoint "${text}"`);
  return name === undefined ? { application } : { application, name };
}
