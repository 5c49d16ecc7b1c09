/** Endpoints and the spaces that they are bound to (networks.md#bindings). */
import type { CharmMeta } from '../charm/metadata.ts';
import type { Constraints } from '../constraints.ts';
import { JujuError, notFound } from '../errors.ts';
import { defaultSpace } from '../space/document.ts';

/** Spaces of the model. */
export interface KnownSpaces {
  readonly has: (space: string) => boolean;
  /** The space of endpoints that nobody bound: the model's default-space. */
  readonly fallback: string;
}

type Bound = Pick<CharmMeta, 'name' | 'endpoints' | 'extraBindings'>;

/** Names that can be bound, besides '' for all endpoints. */
function bindable({ endpoints, extraBindings }: Bound): string[] {
  return [...Object.keys(endpoints), ...extraBindings];
}

function bindableIn(charms: readonly Bound[]): Set<string> {
  return new Set(charms.flatMap(bindable));
}

/**
 * Checks the bindings of a deploy. A client does not know the spaces: the controller checks them.
 * Errors: `not valid` (endpoint), `not found` (space).
 */
export function checkBindings(
  bindings: Readonly<Record<string, string>>,
  charm: Bound,
  spaces?: KnownSpaces,
): Record<string, string> {
  const endpointNames = new Set(bindable(charm));
  const fallback = spaces?.fallback ?? defaultSpace;
  const checked: Record<string, string> = { '': bindings[''] || fallback };
  for (const [endpoint, space] of Object.entries(bindings)) {
    if (endpoint !== '' && !endpointNames.has(endpoint))
      throw new JujuError('not valid', `unknown endpoint "${endpoint}" of charm "${charm.name}" in bindings`);
    if (space !== '' && spaces && !spaces.has(space)) throw notFound('space', space);
    checked[endpoint] = space || checked['']!;
  }
  return checked;
}

/** Checks the constraint `spaces`, including negated ones (`^dmz`). Errors: `not found`. */
export function checkSpaces({ spaces = [] }: Constraints, has: KnownSpaces['has']): void {
  for (const text of spaces) {
    const space = text.replace(/^\^/, '');
    if (!has(space)) throw notFound('space', space);
  }
}

/** The space that an endpoint is bound to: its own, else the application's default. */
export function boundSpace(bindings: Readonly<Record<string, string>>, endpoint: string): string {
  const own = Object.hasOwn(bindings, endpoint) ? bindings[endpoint] : bindings[''];
  return own ?? defaultSpace;
}

/** Every endpoint and extra binding with its space; '' is the default of those without one of their own. */
export function allBindings(
  bindings: Readonly<Record<string, string>>,
  charm: Bound,
): Record<string, string> {
  return Object.fromEntries(['', ...bindable(charm)].map((name) => [name, boundSpace(bindings, name)]));
}

/** Endpoints, as of allBindings, whose space is another one after a change; but every machine is in the default one. */
export function newlyBound(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
  charm: Bound,
): [endpoint: string, space: string][] {
  const was = allBindings(before, charm);
  return Object.entries(allBindings(after, charm)).filter(
    ([endpoint, space]) => space !== defaultSpace && space !== was[endpoint],
  );
}

/** Spaces that bindings ask for; every machine is in the default one. */
export function askedSpaces(bindings: Readonly<Record<string, string>>): Set<string> {
  const asked = new Set(Object.values(bindings));
  asked.delete(defaultSpace);
  return asked;
}

/**
 * Checks bindings against the constraint `spaces`. Errors: '' when an endpoint is bound to a space that the constraints
 * exclude.
 */
export function checkExcluded(
  bindings: Readonly<Record<string, string>>,
  { spaces = [] }: Constraints,
): void {
  const asked = askedSpaces(bindings);
  const excluded = spaces.find((text) => text.startsWith('^') && asked.has(text.slice(1)));
  if (excluded === undefined) return;
  const space = excluded.slice(1);
  throw new JujuError('', `negative space constraint "${space}" conflicts with endpoint bindings`);
}

/**
 * The bindings after a change of some. A changed default moves the endpoints that are bound to the old one, and no
 * other. Endpoints that only older charms have keep their spaces for the units that run these
 * (networks.md#older-endpoints). Errors: `not found` (endpoint, space).
 */
export function mergeBindings(
  current: Readonly<Record<string, string>>,
  change: Readonly<Record<string, string>>,
  charm: Bound,
  spaces: KnownSpaces,
  older: readonly Bound[] = [],
): Record<string, string> {
  const known = new Set(['', ...bindable(charm)]);
  for (const [endpoint, space] of Object.entries(change)) {
    if (!known.has(endpoint)) throw notFound('endpoint', endpoint);
    if (space !== '' && !spaces.has(space)) throw notFound('space', space);
  }
  const oldDefault = boundSpace(current, '');
  const newDefault = change[''] || oldDefault;
  const merged: Record<string, string> = { '': newDefault };
  for (const endpoint of bindableIn([charm, ...older])) {
    const given = Object.hasOwn(change, endpoint) ? change[endpoint] || newDefault : undefined;
    const kept = boundSpace(current, endpoint);
    const space = given ?? (kept === oldDefault ? newDefault : kept);
    if (space !== newDefault) merged[endpoint] = space;
  }
  return merged;
}

/** The bindings of the endpoints that these charms have; the same object when all bindings are of such endpoints. */
export function bindingsOf(
  bindings: Readonly<Record<string, string>>,
  charms: readonly Bound[],
): Readonly<Record<string, string>> {
  const known = bindableIn(charms).add('');
  if (Object.keys(bindings).every((endpoint) => known.has(endpoint))) return bindings;
  return Object.fromEntries(Object.entries(bindings).filter(([endpoint]) => known.has(endpoint)));
}

/**
 * The bindings that a rollback returns to. Endpoints that only the charms have which units leave keep their present
 * bindings.
 */
export function returnedBindings(
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
  { charm, leaves }: { readonly charm: Bound; readonly leaves: readonly Bound[] },
): Record<string, string> {
  const own = bindableIn([charm]);
  const kept = [...bindableIn(leaves)].flatMap((endpoint) => {
    const space = boundSpace(now, endpoint);
    return own.has(endpoint) || space === boundSpace(before, '') ? [] : [[endpoint, space] as const];
  });
  return { ...bindingsOf(before, [charm]), ...Object.fromEntries(kept) };
}
