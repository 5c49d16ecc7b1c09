/**
 * Which endpoints of an application are required (required-endpoints.md#optional-is-default): the application is not
 * deployed until each of them is satisfied.
 */
import type { CharmMeta, Endpoint } from '../charm/metadata.ts';
import { defined } from '../defined.ts';
import { closedGates, gateWords, type ClosedGate, type Gates } from '../gates/gate.ts';
import { jujuInfo } from '../charm/metadata.ts';

export interface Requirement {
  /** The endpoint's name; `juju-info` where any relation with a principal satisfies the requirement. */
  readonly endpoint: string;
  readonly interface: string;
  /**
   * Set on a subordinate's requirement that a relation with any principal satisfies: none of its units exist without
   * one.
   */
  readonly anyPrincipal?: true;
  /**
   * Words that are shown to users in place of endpoint and interface: the endpoints by which a principal may be
   * related.
   */
  readonly shown?: string;
  /**
   * Required endpoints that imply this one: while one of them is missing, this one is not reported, as a principal
   * there satisfies both. It matters where subordinates satisfy the others.
   */
  readonly impliedBy?: readonly string[] | undefined;
  /** Set on a closed gate, which no relation opens; endpoint and interface are ''. */
  readonly gate?: ClosedGate;
}

/**
 * The model setting `require-endpoints`. `declared`: endpoints that the charm declares as required (`optional: false`);
 * `all`: every `requires` endpoint except those declared optional; `none`: none of the charm's. Endpoints named by
 * `deploy --require` are required in every mode.
 */
export const requireModes = ['declared', 'all', 'none'] as const;
export type RequireMode = (typeof requireModes)[number];

/** The mode in a model's configuration; `declared` when the setting is absent or unknown. */
export function requireMode(config: Readonly<Record<string, unknown>> | undefined): RequireMode {
  const mode = config?.['require-endpoints'];
  return requireModes.find((candidate) => candidate === mode) ?? 'declared';
}

/** The requirements of an application, in the charm's order. A subordinate always requires a principal. */
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
  const requirements: Requirement[] = required.map(({ name, interface: interfaceName }) => ({
    endpoint: name,
    interface: interfaceName,
  }));
  // A required endpoint of that name in the charm already is this requirement.
  if (meta.subordinate && !required.some(({ name }) => name === jujuInfo.name)) {
    const impliedBy = required.filter(({ scope }) => scope === 'container').map(({ name }) => name);
    requirements.push({
      endpoint: jujuInfo.name,
      interface: jujuInfo.interface,
      anyPrincipal: true,
      ...defined({ shown: besideWords(meta.endpoints, impliedBy.length === 0) }),
      impliedBy: impliedBy.length > 0 ? impliedBy : undefined,
    });
  }
  return requirements;
}

/** The closed gates of an application, as requirements that nothing in the graph satisfies. */
export function gateRequirements(gates: Gates | undefined): Requirement[] {
  return closedGates(gates).map((gate) => ({ endpoint: '', interface: '', gate }));
}

/**
 * The endpoints by which a subordinate can be related to a principal, as `host (juju-info) or logs (syslog)`; undefined
 * where that is the implicit one only. `isImplicit`: whether the implicit one satisfies the requirement, too.
 */
function besideWords(endpoints: CharmMeta['endpoints'], isImplicit: boolean): string | undefined {
  const own = Object.values(endpoints).filter(
    ({ role, scope }) => role === 'requirer' && scope === 'container',
  );
  if (own.length === 0) return undefined;
  const hasOwnInfo = own.some((one) => one.interface === jujuInfo.interface);
  const all = isImplicit && !hasOwnInfo ? [...own, jujuInfo] : own;
  const words = all.map(({ name, interface: interfaceName }) => `${name} (${interfaceName})`);
  const more = words.length - namedMax;
  const shown = `${words.slice(0, namedMax).join(' or ')}${more > 0 ? ` or ${more} more` : ''}`;
  // The words "to a principal" keep apart a relation with another subordinate, which may be there.
  return isImplicit ? shown : `${shown} to a principal`;
}

/**
 * Whether a subordinate can be attached to any principal through the implicit juju-info. A required container endpoint
 * excludes this: then only applications that provide that endpoint are its principals.
 */
export function attachesToAny(requirements: readonly Requirement[]): boolean {
  return requirements.some(({ anyPrincipal, impliedBy }) => anyPrincipal === true && impliedBy === undefined);
}

/** Unsatisfied requirements that are shown to the user. */
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

/** An unsatisfied requirement, with the reason. */
export interface Missing {
  readonly endpoint: string;
  readonly interface: string;
  /** Text shown in place of endpoint and interface, as in Requirement. */
  readonly shown?: string;
  /** Related applications that are pending themselves, the first few by name; empty: the endpoint has no relation. */
  readonly applications: readonly string[];
  /** Set for a closed gate: the health that the only one of `applications` must have; endpoint and interface are ''. */
  readonly health?: string;
}

/** The closed gate that is missing; undefined for a relation. */
export function gateOf({ applications: [application = ''], health }: Missing): ClosedGate | undefined {
  return health === undefined ? undefined : { application, health };
}

/** Maximum number of applications named in one Missing. */
export const namedMax = 3;

/**
 * The status of a pending application, in the words that charms use. A relation has to be added by the operator:
 * `blocked`, `missing relation: db (mysql)`. Related applications become ready by themselves: `waiting`, `waiting for
 * application: ceph (storage)`. So do gates: `waiting for db to be active`.
 */
export function missingStatus(missing: readonly Missing[]): {
  readonly status: 'blocked' | 'waiting';
  readonly message: string;
} {
  const { relations, applications, gates } = wordsOf(missing);
  const shownParts = [
    ...(relations.length > 0 ? [`missing ${counted('relation', relations)}`] : []),
    ...(applications.length > 0 ? [`waiting for ${counted('application', applications)}`] : []),
    ...(gates.length > 0 ? [`waiting for ${firstFew(gates)}`] : []),
  ];
  return { status: relations.length > 0 ? 'blocked' : 'waiting', message: shownParts.join('; ') };
}

/**
 * The missing requirements as the end of a sentence: `relations: db (mysql), logging-master (syslog); for applications:
 * ceph (storage); for db to be active`
 */
export function missingWords(missing: readonly Missing[]): string {
  const { relations, applications, gates } = wordsOf(missing);
  return [
    ...(relations.length > 0 ? [`relations: ${firstFew(relations)}`] : []),
    ...(applications.length > 0 ? [`applications: ${firstFew(applications)}`] : []),
    ...(gates.length > 0 ? [firstFew(gates)] : []),
  ].join('; for ');
}

/** A requirement as text: `db (mysql)`. */
export function shownRequirement({
  endpoint,
  interface: name,
  shown,
}: Omit<Missing, 'applications'>): string {
  return shown ?? `${endpoint} (${name})`;
}

function wordsOf(missing: readonly Missing[]): Record<'relations' | 'applications' | 'gates', string[]> {
  const gates = missing.flatMap((one) => gateOf(one) ?? []);
  const endpoints = missing.filter(({ health }) => health === undefined);
  return {
    relations: endpoints.filter(({ applications }) => applications.length === 0).map(shownRequirement),
    applications: endpoints
      .filter(({ applications }) => applications.length > 0)
      .map(({ endpoint, applications }) => `${applications.join(' or ')} (${endpoint})`),
    gates: gates.map(gateWords),
  };
}

function counted(noun: string, words: readonly string[]): string {
  return `${noun}${words.length === 1 ? '' : 's'}: ${firstFew(words)}`;
}

/** Maximum number of requirements in a status message, which is repeated for every unit. */
const shownMax = 10;

function firstFew(words: readonly string[]): string {
  const more = words.length - shownMax;
  return `${words.slice(0, shownMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
