/**
 * Which endpoints of an application are required (required-endpoints.md#optional-is-default): the application is not
 * deployed until each of them is satisfied.
 */
import type { CharmMeta, Endpoint } from '../charm/metadata.ts';
import { jujuInfo } from '../charm/metadata.ts';

export interface Requirement {
  /** `juju-info` where any relation with a principal satisfies it. */
  readonly endpoint: string;
  readonly interface: string;
  /** Of a subordinate: no unit of it is anywhere without a principal, by whichever relation. */
  readonly anyPrincipal?: true;
  /**
   * While one of these required endpoints is missing, this one is not told of: a principal there will do for both.
   * It remains where those are satisfied by subordinates.
   */
  readonly impliedBy?: readonly string[];
}

/**
 * The model setting `require-endpoints`. `declared`: those that the charm states (`optional: false`); `all`: every
 * `requires` endpoint but those that the charm states to be optional; `none`: none of the charm's.
 * What `deploy --require` names is required in each of them.
 */
export const requireModes = ['declared', 'all', 'none'] as const;
export type RequireMode = (typeof requireModes)[number];

/** What a model's configuration says; `declared` where it says nothing that is known. */
export function requireMode(config: Readonly<Record<string, unknown>> | undefined): RequireMode {
  const mode = config?.['require-endpoints'];
  return requireModes.find((one) => one === mode) ?? 'declared';
}

/** In the charm's order. A subordinate always needs a principal: no unit of it is without one. */
export function requirementsOf(
  meta: Pick<CharmMeta, 'endpoints' | 'subordinate' | 'required'>,
  asked: readonly string[] | undefined,
  mode: RequireMode,
): Requirement[] {
  const required = Object.values(meta.endpoints).filter(
    (endpoint) =>
      endpoint.role === 'requirer' &&
      (asked?.includes(endpoint.name) === true || isRequired(endpoint, meta.required ?? [], mode)),
  );
  const requirements: Requirement[] = required.map(({ name, interface: its }) => ({
    endpoint: name,
    interface: its,
  }));
  // An endpoint of that name that the charm requires is one with it.
  if (meta.subordinate && !required.some(({ name }) => name === jujuInfo.name)) {
    const impliedBy = required.filter(({ scope }) => scope === 'container').map(({ name }) => name);
    requirements.push({
      endpoint: jujuInfo.name,
      interface: jujuInfo.interface,
      anyPrincipal: true,
      ...(impliedBy.length > 0 ? { impliedBy } : {}),
    });
  }
  return requirements;
}

/**
 * Whether a subordinate may stand beside any principal by the implicit juju-info. Where a container endpoint is
 * required, only the applications that provide it are those beside which it belongs.
 */
export function attachesToAny(requirements: readonly Requirement[]): boolean {
  return requirements.some(({ anyPrincipal, impliedBy }) => anyPrincipal === true && impliedBy === undefined);
}

/** Of those that are not satisfied, the ones that are told. */
export function withoutImplied<T extends Pick<Requirement, 'endpoint' | 'impliedBy'>>(
  open: readonly T[],
): T[] {
  const names = new Set(open.map(({ endpoint }) => endpoint));
  return open.filter(({ impliedBy = [] }) => !impliedBy.some((name) => names.has(name)));
}

function isRequired({ name, optional }: Endpoint, declared: readonly string[], mode: RequireMode): boolean {
  switch (mode) {
    case 'declared':
      return declared.includes(name);
    case 'all':
      return !optional;
    case 'none':
      return false;
  }
}

/** Why a requirement is not satisfied. */
export interface Missing {
  readonly endpoint: string;
  readonly interface: string;
  /** Related applications that are pending themselves, the first few by name; none: it is not related at all. */
  readonly applications: readonly string[];
}

/** So many are named in one Missing. */
export const namedMax = 3;

/**
 * The status of what is missing them, as charms say it. A relation is the operator's to add: `blocked`, `missing
 * relation: db (mysql)`. Related applications come by themselves: `waiting`, `waiting for application: ceph (storage)`.
 */
export function missingStatus(missing: readonly Missing[]): {
  readonly status: 'blocked' | 'waiting';
  readonly message: string;
} {
  const { relations, applications } = wordsOf(missing);
  const said = [
    ...(relations.length > 0 ? [`missing ${counted('relation', relations)}`] : []),
    ...(applications.length > 0 ? [`waiting for ${counted('application', applications)}`] : []),
  ];
  return { status: relations.length > 0 ? 'blocked' : 'waiting', message: said.join('; ') };
}

/**
 * What is waited for, as the end of a sentence: `relations: db (mysql), logging-master (syslog); for applications: ceph
 * (storage)`
 */
export function missingWords(missing: readonly Missing[]): string {
  const { relations, applications } = wordsOf(missing);
  return [
    ...(relations.length > 0 ? [`relations: ${first(relations)}`] : []),
    ...(applications.length > 0 ? [`applications: ${first(applications)}`] : []),
  ].join('; for ');
}

function wordsOf(missing: readonly Missing[]): { relations: string[]; applications: string[] } {
  return {
    relations: missing
      .filter(({ applications }) => applications.length === 0)
      .map(({ endpoint, interface: its }) => `${endpoint} (${its})`),
    applications: missing
      .filter(({ applications }) => applications.length > 0)
      .map(({ endpoint, applications }) => `${applications.join(' or ')} (${endpoint})`),
  };
}

function counted(what: string, words: readonly string[]): string {
  return `${what}${words.length === 1 ? '' : 's'}: ${first(words)}`;
}

/** Every unit says it. */
const saidMax = 10;

function first(words: readonly string[]): string {
  const more = words.length - saidMax;
  return `${words.slice(0, saidMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
