import { defaultBase } from '../base.ts';
import { parseConfigValues } from '../charm/config.ts';
import { endpointsOf } from '../charm/metadata.ts';
import type { RelationEndpoint } from '../relation/document.ts';
import { JujuError } from '../errors.ts';
import { refuseCircle } from '../gates/circle.ts';
import { checkAddRelation, type RelationSide } from '../relation/check-add.ts';
import { applicationView, inferEndpoints, type ApplicationView } from '../relation/infer-endpoints.ts';
import { formatEndpoint, parseEndpointText, relationKey } from '../relation/key.ts';
import { checkRequired } from '../requirements/check-required.ts';
import { requirementsOf, type RequireMode } from '../requirements/requirement.ts';
import { refusalToOffer } from '../offer/may-offer.ts';
import type { Bundle, BundleApplication, BundleRelation } from './bundle.ts';
import type { BundleCharm } from './bundle-model.ts';
import { ownValue } from './own.ts';
import { verifyPlacements } from './verify-placements.ts';

type Charm = Pick<BundleCharm, 'meta' | 'config' | 'bases'>;
type CharmOf = (application: string) => Charm | undefined;

/** All problems of a bundle, which has applications; otherwise as verifyParts. */
export function verifyBundle(...args: Parameters<typeof verifyParts>): string[] {
  const [{ applications }] = args;
  return Object.keys(applications).length === 0
    ? ['applications: expected at least one']
    : verifyParts(...args);
}

/**
 * All problems of a bundle by itself, each with its path. Problems that depend on charms are found for the charms that
 * `charmOf` knows. The model is not read except for `require-endpoints`: what a bundle names, it must contain.
 */
export function verifyParts(
  bundle: Bundle,
  charmOf: CharmOf = () => undefined,
  mode: RequireMode = 'declared',
): string[] {
  const applications = Object.entries(bundle.applications);
  return [
    ...verifyNames(bundle),
    ...verifyGates(bundle),
    ...applications.flatMap(([name, application]) => {
      const charm = charmOf(name);
      return charm ? verifyWithCharm(name, application, charm) : [];
    }),
    ...verifyPlacements(bundle, (name) => charmOf(name)?.meta.subordinate),
    ...verifyRelations(bundle, charmOf, mode),
  ];
}

function verifyWithCharm(name: string, application: BundleApplication, charm: Charm): string[] {
  const where = `applications.${name}`;
  const { meta, config } = charm;
  const options = Object.entries(application.options).flatMap(([option, value]) =>
    refusal(`${where}.options`, () => parseConfigValues(config, { [option]: value })),
  );
  const require = application.require.flatMap((endpoint) =>
    refusal(`${where}.require`, () => checkRequired(meta, [endpoint])),
  );
  const unknown = [
    ...Object.keys(application.bindings).map((endpoint) => ['bindings', endpoint] as const),
    ...Object.keys(application.exposedEndpoints ?? {}).map(
      (endpoint) => ['exposed-endpoints', endpoint] as const,
    ),
  ].filter(([, endpoint]) => endpoint !== '' && !isBindable(charm, endpoint));
  return [
    ...options,
    ...require,
    ...unknown.map(
      ([key, endpoint]) => `${where}.${key}: charm "${meta.name}" has no endpoint "${endpoint}"`,
    ),
    ...verifyOffers(where, application, charm),
    ...(meta.subordinate ? verifySubordinate(where, application) : []),
  ];
}

/** Applications and consumed applications (SAAS) share one set of names; so do the offers of all applications. */
function verifyNames({ applications, saas = {} }: Bundle): string[] {
  const offers = new Map<string, string>();
  return [
    ...Object.keys(saas)
      .filter((name) => Object.hasOwn(applications, name))
      .map((name) => `saas.${name}: an application of the file has that name`),
    ...Object.entries(applications).flatMap(([application, { offers: own = {} }]) =>
      Object.keys(own).flatMap((offer) => {
        const other = offers.get(offer);
        offers.set(offer, application);
        if (other === undefined) return [];
        return [`applications.${application}.offers.${offer}: ${other} has an offer of that name`];
      }),
    ),
  ];
}

/** Each circle of gates is a problem of one application in it. */
function verifyGates({ applications }: Bundle): string[] {
  const after = new Map<string, readonly string[]>();
  const before = new Map<string, string[]>();
  const graph = {
    after: (name: string) => after.get(name) ?? [],
    before: (name: string) => before.get(name) ?? [],
  };
  return Object.entries(applications).flatMap(([name, application]) => {
    const others = Object.keys(application.after ?? {});
    const refused = refusal(`applications.${name}.after`, () => refuseCircle(name, others, graph));
    if (refused.length > 0) return refused;
    after.set(name, others);
    for (const other of others) before.set(other, [...(before.get(other) ?? []), name]);
    return [];
  });
}

function verifyOffers(where: string, { offers = {} }: BundleApplication, { meta }: Charm): string[] {
  const known = endpointsOf(meta);
  return Object.entries(offers).flatMap(([offer, { endpoints }]) =>
    endpoints.flatMap((endpoint) => {
      const why = refusalToOffer(meta.name, endpoint, ownValue(known, endpoint));
      return why === undefined ? [] : [`${where}.offers.${offer}: ${why}`];
    }),
  );
}

function isBindable({ meta }: Charm, endpoint: string): boolean {
  return Object.hasOwn(endpointsOf(meta), endpoint) || meta.extraBindings.includes(endpoint);
}

/** A subordinate's units are made by its relations, beside the other application's. */
function verifySubordinate(where: string, { units, to, constraints }: BundleApplication): string[] {
  return [
    ...(units > 0 ? [`${where}.num_units: a subordinate has no units of its own`] : []),
    ...(to.length > 0 ? [`${where}.to: a subordinate is placed with its principals`] : []),
    ...(Object.keys(constraints).length > 0
      ? [`${where}.constraints: a subordinate has no constraints`]
      : []),
  ];
}

function verifyRelations(bundle: Bundle, charmOf: CharmOf, mode: RequireMode): string[] {
  const seen = new Set<string>();
  const used = new Map<string, number>();
  const { applications, saas = {} } = bundle;
  const viewOf = (name: string): ApplicationView | undefined => {
    const meta = charmOf(name)?.meta;
    return (
      meta && applicationView(name, meta, requirementsOf(meta, ownValue(applications, name)?.require, mode))
    );
  };
  return bundle.relations.flatMap((relation, i) => {
    const where = `relations[${i}]`;
    const names = relation.map((end) => parseEndpointText(end).application);
    const unknown = [...new Set(names)].filter(
      (name) => !Object.hasOwn(applications, name) && !Object.hasOwn(saas, name),
    );
    if (unknown.length > 0) return unknown.map((name) => `${where}: the file has no application ${name}`);
    if (names[0] === names[1]) return [`${where}: ${names[0]} cannot be related to itself`];
    if (names.every((name) => Object.hasOwn(saas, name)))
      return [`${where}: ${names.join(' and ')} are both of other models`];
    const found: { ends?: readonly [RelationEndpoint, RelationEndpoint] } = {};
    const refused = refusal(where, () => {
      const ends = endsOf(relation, viewOf);
      if (ends) found.ends = ends;
    });
    if (refused.length > 0) return refused;
    const key = found.ends ? relationKey(found.ends) : [...relation].sort().join(' ');
    if (seen.has(key)) return [`${where}: ${relation.join(' ')} is listed twice`];
    seen.add(key);
    const { ends } = found;
    if (!ends) return [];
    const [left, right] = ends.map((end) => side(end, bundle, charmOf, used));
    for (const end of ends) used.set(formatEndpoint(end), (used.get(formatEndpoint(end)) ?? 0) + 1);
    return left && right ? refusal(where, () => checkAddRelation(sameBaseIfUnknown(left, right))) : [];
  });
}

/** The relation's ends; undefined while a charm is not known. */
function endsOf(
  relation: BundleRelation,
  viewOf: (application: string) => ApplicationView | undefined,
): readonly [RelationEndpoint, RelationEndpoint] | undefined {
  if (relation.some((end) => !viewOf(parseEndpointText(end).application))) return undefined;
  return inferEndpoints(relation, viewOf);
}

type SideOfBundle = Omit<RelationSide, 'base'> & { readonly base: RelationSide['base'] | undefined };

function side(
  endpoint: RelationEndpoint,
  { applications, defaultBase: base }: Bundle,
  charmOf: CharmOf,
  used: ReadonlyMap<string, number>,
): SideOfBundle | undefined {
  const charm = charmOf(endpoint.application);
  return (
    charm && {
      endpoint,
      life: 'alive',
      subordinate: charm.meta.subordinate,
      base: applications[endpoint.application]?.base ?? base,
      // Two different bases named by the bundle are a mistake.
      free: false,
      charmBases: charm.bases,
      relations: used.get(formatEndpoint(endpoint)) ?? 0,
    }
  );
}

/** The base of an application that names none is chosen by the controller. */
function sameBaseIfUnknown(left: SideOfBundle, right: SideOfBundle): [RelationSide, RelationSide] {
  const either = left.base ?? right.base ?? defaultBase;
  return [
    { ...left, base: left.base ?? either },
    { ...right, base: right.base ?? either },
  ];
}

function refusal(where: string, check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof JujuError) return [`${where}: ${error.message}`];
    throw error;
  }
}
