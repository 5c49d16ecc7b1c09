/**
 * Pending applications and their missing requirements as a second, naive implementation: every application is
 * deployable at first; an application that lacks something deployable is not, repeated until nothing changes. Neither
 * indexes nor stored results are used.
 */
import type { ApplicationDoc } from '../core/application/document.ts';
import type { Entities } from '../core/kinds.ts';
import type { RelationEndpoint } from '../core/relation/document.ts';
import type { Missing } from '../core/requirements/requirement.ts';
import type { Reader } from '../store/store.ts';

type View = Reader<Entities>;
interface Need {
  readonly endpoint: string;
  readonly interface: string;
  readonly container: boolean;
  /** Applications that would satisfy the requirement if they were deployable. */
  readonly others: readonly string[];
  /** Set on a closed gate: what it waits for. */
  readonly gate?: { readonly applications: readonly [string]; readonly health: string };
}

const namedMax = 3;

/** Returns what each pending application is missing. */
export function missingIn(view: View): Map<string, readonly Missing[]> {
  const mode = view.in('').get('model', view.space)?.config['require-endpoints'] ?? 'declared';
  const needs = new Map<string, readonly Need[]>();
  for (const application of view.list('application'))
    if (application.life === 'alive') needs.set(application.name, needsOf(view, application, mode));
  const waiting = new Set<string>();
  const missing = (all: readonly Need[]): Need[] =>
    all.filter(({ others }) => others.every((other) => waiting.has(other)));
  for (let before = -1; before !== waiting.size;) {
    before = waiting.size;
    for (const [name, all] of needs) if (missing(all).length > 0) waiting.add(name);
  }
  const found = new Map<string, readonly Missing[]>();
  for (const name of waiting)
    found.set(
      name,
      withoutImplied(missing(needs.get(name) ?? [])).map(({ endpoint, interface: its, others, gate }) => ({
        endpoint,
        interface: its,
        applications: [...new Set(others)].sort().slice(0, namedMax),
        ...gate,
      })),
    );
  return found;
}

/** Returns the missing requirements without their words for users, which are no part of the rule. */
export function withoutWords(missing: readonly Missing[]): Missing[] {
  return missing.map((one) => {
    const { shown: _, ...rest } = one;
    return rest;
  });
}

/**
 * Removes needs that are implied: for an application that lacks an endpoint beside a principal, the need for a
 * principal is not stated.
 */
function withoutImplied(missing: readonly Need[]): Need[] {
  return missing.some(({ container }) => container)
    ? missing.filter(({ endpoint }) => endpoint !== 'juju-info')
    : [...missing];
}

function needsOf(view: View, application: ApplicationDoc, mode: unknown): Need[] {
  const gates = Object.entries(application.after ?? {})
    .filter(([, { opened }]) => opened === undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([other, { health }]) => ({
      endpoint: '',
      interface: '',
      container: false,
      others: [],
      gate: { applications: [other] as const, health },
    }));
  return [...relationsNeeded(view, application, mode), ...gates];
}

function relationsNeeded(
  view: View,
  { name, charmUrl, require = [] }: ApplicationDoc,
  mode: unknown,
): Need[] {
  const meta = view.get('charm', charmUrl)?.meta;
  if (!meta) return [];
  const required = Object.values(meta.endpoints).filter(
    (one) =>
      one.role === 'requirer' &&
      (require.includes(one.name) ||
        (mode === 'declared' && meta.required?.includes(one.name)) ||
        (mode === 'all' && !one.optional)),
  );
  const needs = required.map((one) => ({
    endpoint: one.name,
    interface: one.interface,
    container: one.scope === 'container',
    others: related(view, name, (own) => own.name === one.name),
  }));
  if (!meta.subordinate) return needs;
  const principals = related(view, name, ({ scope }) => scope === 'container').filter(
    (other) => !view.get('application', other)?.subordinate,
  );
  return [...needs, { endpoint: 'juju-info', interface: 'juju-info', container: false, others: principals }];
}

/** Returns the applications that alive relations connect to such an endpoint of the application. */
function related(view: View, application: string, isIt: (own: RelationEndpoint) => boolean): string[] {
  const found: string[] = [];
  for (const { life, endpoints } of view.list('relation')) {
    const [a, b] = endpoints;
    if (life !== 'alive' || !a || !b) continue;
    if (a.application === application && isIt(a)) found.push(b.application);
    if (b.application === application && isIt(b)) found.push(a.application);
  }
  return found;
}
