import { endpointsOf, isImplicit, type CharmMeta, type Endpoint } from '../charm/metadata.ts';
import type { RelationEndpoint } from './document.ts';
import { JujuError, notFound } from '../errors.ts';
import { attachesToAny, type Requirement } from '../requirements/requirement.ts';
import { parseEndpointText, relationKey } from './key.ts';

/** The part of an application that inference reads. */
export interface ApplicationView {
  readonly name: string;
  readonly subordinate: boolean;
  /** Endpoints by name, the implicit juju-info included (endpointsOf). */
  readonly endpoints: Readonly<Record<string, Endpoint>>;
  /** Whether the application is a subordinate that any principal can have, by the implicit juju-info. */
  readonly attachesToAny: boolean;
}

/**
 * The view of an application. `requirements` are those that the application has in its model, from its charm, its
 * operator and the model's setting.
 */
export function applicationView(
  name: string,
  meta: Pick<CharmMeta, 'endpoints' | 'subordinate'>,
  requirements: readonly Requirement[],
): ApplicationView {
  return {
    name,
    subordinate: meta.subordinate,
    endpoints: endpointsOf(meta),
    attachesToAny: attachesToAny(requirements),
  };
}

type Pair = readonly [RelationEndpoint, RelationEndpoint];

/**
 * The two endpoints that `integrate a[:x] b[:y]` means (relations.md#inference), in the order of the names. Implicit
 * endpoints only count when nothing else fits; the last choice is the implicit one that attaches a subordinate to any
 * principal, where its requirements allow it: `logging:juju-info wordpress:juju-info`. Errors: `not found` for an
 * application; plain ones for an unknown endpoint, for no pair ("no relations found") and for more than one ("ambiguous
 * relation: …").
 */
export function inferEndpoints(
  names: readonly string[],
  find: (application: string) => ApplicationView | undefined,
): Pair {
  const [first, second, ...rest] = names;
  if (first === undefined || second === undefined || rest.length > 0)
    throw new JujuError('not valid', 'a relation must involve two applications');
  const a = sideOf(first, find);
  const b = sideOf(second, find);
  const pairs = pairsOf(a, b);
  if (pairs.length === 0) pairs.push(...beside(a, b), ...beside(b, a).map(([x, y]): Pair => [y, x]));
  if (pairs.length === 0)
    throw new JujuError('', `no relations found: ${describeSide(first, a)}; ${describeSide(second, b)}`);
  if (pairs.length === 1) return pairs[0]!;
  const explicit = pairs.filter((pair) => !pair.some(isImplicit));
  if (explicit.length === 1) return explicit[0]!;
  const keys = pairs.map((pair) => `"${relationKey(pair)}"`).sort();
  throw new JujuError('', `ambiguous relation: "${names.join(' ')}" could refer to ${keys.join('; ')}`);
}

function pairsOf(a: Side, b: Side): Pair[] {
  return a.endpoints.flatMap((left) =>
    b.endpoints
      .filter((right) => canRelate(left, right) && scopeFits(left, right, a.subordinate || b.subordinate))
      .map((right): Pair => [left, right]),
  );
}

/** The implicit pair of a subordinate and a principal, when no other endpoint is named. */
function beside(subordinate: Side, principal: Side): Pair[] {
  const subordinateEnd = subordinate.endpoints.find(isImplicit);
  const principalEnd = principal.endpoints.find(isImplicit);
  if (!subordinateEnd || !principalEnd || !subordinate.attachesToAny || principal.subordinate) return [];
  return [[{ ...subordinateEnd, role: 'requirer', scope: 'container' }, principalEnd]];
}

/** Whether two endpoints fit: different applications, one interface, a provider and a requirer. */
export function canRelate(a: RelationEndpoint, b: RelationEndpoint): boolean {
  const roles = new Set([a.role, b.role]);
  return (
    a.application !== b.application &&
    a.interface === b.interface &&
    roles.has('provider') &&
    roles.has('requirer')
  );
}

/** An endpoint of container scope gives the relation that scope, which requires a subordinate. */
function scopeFits(a: RelationEndpoint, b: RelationEndpoint, anySubordinate: boolean): boolean {
  return anySubordinate || (a.scope === 'global' && b.scope === 'global');
}

/**
 * An application's endpoints in words, for error messages: `web provides website (http), requires db (kv)`. Juju has no
 * such text.
 */
function describeSide(text: string, { endpoints }: Side): string {
  const verbs = { provider: 'provides', requirer: 'requires', peer: 'has the peers' };
  const offered = endpoints
    .filter((endpoint) => !isImplicit(endpoint))
    .map((endpoint) => `${verbs[endpoint.role]} ${endpoint.name} (${endpoint.interface})`);
  return `"${text}" ${offered.join(', ') || 'has nothing that others relate to'}`;
}

interface Side extends Pick<ApplicationView, 'subordinate' | 'attachesToAny'> {
  readonly endpoints: readonly RelationEndpoint[];
}

function sideOf(text: string, find: (application: string) => ApplicationView | undefined): Side {
  const { application, name } = parseEndpointText(text);
  const view = find(application);
  if (!view) throw notFound('application', application);
  const all = Object.values(view.endpoints).map((endpoint) => ({ ...endpoint, application }));
  const named = name === undefined ? all : all.filter((endpoint) => endpoint.name === name);
  // An application of another model may have no endpoints at all.
  if (name !== undefined && named.length === 0)
    throw new JujuError('', `application "${application}" has no "${name}" relation`);
  return { ...view, endpoints: named.filter(({ role }) => role !== 'peer') };
}
