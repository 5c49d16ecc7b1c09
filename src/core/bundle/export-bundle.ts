import { defaultSpace } from '../space/document.ts';
import { bindingsOf } from '../application/bindings.ts';
import { healthOf } from '../gates/gate.ts';
import { anywhere } from '../application/exposed-rules.ts';
import { formatBase, sameBase, type Base } from '../base.ts';
import { mergedConfig } from '../charm/config.ts';
import type { ApplicationDoc } from '../application/document.ts';
import type { UnitDoc } from '../unit/document.ts';
import type { Refs } from '../impediments.ts';
import { compareNames, hostOf } from '../names.ts';
import { isContainerType, machineScope, type Placement } from '../placement.ts';
import { relationKey } from '../relation/key.ts';
import type { OfferDoc } from '../offer/document.ts';
import type {
  Bundle,
  BundleApplication,
  BundleMachine,
  BundleOffer,
  BundlePlacement,
  BundleRelation,
} from './bundle.ts';
import { machineAnnotation } from './step.ts';
import { storageOf } from './storage.ts';
import { defined } from '../defined.ts';

type View = Pick<Refs, 'get' | 'list' | 'find'>;

interface ExportOptions {
  readonly charmDefaults: boolean;
  readonly accessTo: (offer: OfferDoc) => BundleOffer['acl'];
}

/**
 * The bundle that would make the model: its alive entities, with machines by id if a unit is on them. `charmDefaults`
 * adds the default values of options, `accessTo` tells who may do what with an offer. Names are sorted, so that the
 * same model gives the same bundle.
 */
export function exportBundle(view: View, options: ExportOptions): Bundle {
  const docs = [...view.list('application')]
    .filter(({ life }) => life === 'alive')
    .sort((a, b) => compareNames(a.name, b.name));
  const placed = new Map(docs.map((doc) => [doc.name, placementsOf(view, doc)]));
  const machines = machinesOf(view, placed.values());
  const bases = [...docs.map(({ base }) => base), ...machines.map(({ base }) => base)];
  const defaultBase = mostUsed(bases);
  const ownBase = (base: Base): { base?: Base } =>
    defaultBase && sameBase(base, defaultBase) ? {} : { base };
  return {
    ...defined({ defaultBase }),
    ...saasOf(view),
    applications: Object.fromEntries(
      docs.map((doc) => [
        doc.name,
        applicationOf(view, doc, placed.get(doc.name) ?? [], { ...options, ...ownBase(doc.base) }),
      ]),
    ),
    machines: Object.fromEntries(
      machines.map(({ id, base, machine }) => [id, { ...ownBase(base), ...machine }]),
    ),
    relations: relationsOf(view),
  };
}

function applicationOf(
  view: View,
  doc: ApplicationDoc,
  placements: readonly BundlePlacement[],
  { charmDefaults, accessTo, base }: ExportOptions & { readonly base?: Base },
): BundleApplication {
  const charm = view.get('charm', doc.charmUrl);
  const options = charm && charmDefaults ? mergedConfig(charm.config, doc.config) : doc.config;
  return {
    charm: doc.charmUrl,
    ...defined({ base }),
    units: doc.subordinate ? 0 : placements.length,
    // Nothing is requested, so the placement stays the same however the bundle is deployed.
    to: placements.every(({ container, on }) => on.kind === 'new' && container === undefined)
      ? []
      : placements,
    options: byName(options),
    constraints: doc.constraints,
    annotations: annotationsOf(view, `application-${doc.name}`),
    ...exposedOf(doc),
    bindings: Object.fromEntries(
      Object.entries(byName(charm ? bindingsOf(doc.endpointBindings, [charm.meta]) : {})).filter(
        ([endpoint, space]) =>
          space !== (endpoint === '' ? defaultSpace : (doc.endpointBindings[''] ?? defaultSpace)),
      ),
    ),
    trust: doc.trust,
    require: doc.require ?? [],
    ...defined({ after: doc.after && byName(healthOf(doc.after)) }),
    ...storageOf(doc),
    ...offersOf(view, doc, accessTo),
  };
}

/** SAAS applications; proxies of consumers are made by their models. */
function saasOf(view: View): Pick<Bundle, 'saas'> {
  const all = [...view.list('remote-application')].flatMap(({ name, saas, ending }) =>
    saas && !ending ? [[name, { url: saas.url }] as const] : [],
  );
  return all.length === 0 ? {} : { saas: byName(Object.fromEntries(all)) };
}

function offersOf(
  view: View,
  { name }: ApplicationDoc,
  accessTo: ExportOptions['accessTo'],
): Pick<BundleApplication, 'offers'> {
  const all = [...view.find('offer', 'application', name)].map((offer) => {
    const endpoints = Object.values(offer.endpoints).sort(compareNames);
    return [offer.name, { endpoints, acl: byName(accessTo(offer)) }] as const;
  });
  return all.length === 0 ? {} : { offers: byName(Object.fromEntries(all)) };
}

/** One placement per unit of a principal, in the order of their numbers. */
function placementsOf(view: View, { name, subordinate }: ApplicationDoc): BundlePlacement[] {
  if (subordinate) return [];
  return [...view.find('unit', 'application', name)]
    .filter(({ life }) => life === 'alive')
    .map((unit) => ({ unit, number: Number(unit.name.slice(name.length + 1)) }))
    .sort((a, b) => a.number - b.number)
    .map(({ unit }) => placementOf(view, unit));
}

/** The unit's machine, or its requested placement while it has none. */
function placementOf(view: View, { machine, unplaced }: UnitDoc): BundlePlacement {
  if (machine !== undefined) return onMachine(view, machine);
  const placement = unplaced?.placement;
  return placement ? asked(view, placement) : { on: { kind: 'new' } };
}

function asked(view: View, { scope, directive }: Placement): BundlePlacement {
  if (scope === machineScope) return onMachine(view, directive);
  if (!isContainerType(scope)) return { on: { kind: 'directive', directive } };
  const { on } = directive === '' ? { on: { kind: 'new' } as const } : onMachine(view, directive);
  return { container: scope, on };
}

/** A bundle's machines do not include containers: those are made where units are placed in them. */
function onMachine(view: View, id: string): BundlePlacement {
  const host = hostOf(id);
  if (view.get('machine', host)?.life !== 'alive') return { on: { kind: 'new' } };
  const container = id === host ? undefined : id.slice(host.length + 1).split('/', 1)[0];
  return { ...defined({ container }), on: { kind: 'machine', machine: host } };
}

interface ExportedMachine {
  readonly id: string;
  readonly base: Base;
  readonly machine: Omit<BundleMachine, 'base'>;
}

function machinesOf(view: View, placements: Iterable<readonly BundlePlacement[]>): ExportedMachine[] {
  const ids = new Set<string>();
  for (const each of placements) for (const { on } of each) if (on.kind === 'machine') ids.add(on.machine);
  return [...ids].sort(compareNames).flatMap((id): ExportedMachine[] => {
    const doc = view.get('machine', id);
    if (!doc) return [];
    const { [machineAnnotation]: _, ...annotations } = annotationsOf(view, `machine-${id}`);
    return [{ id, base: doc.base, machine: { constraints: doc.constraints, annotations } }];
  });
}

/** The most used base; among equals the newest. */
function mostUsed(bases: readonly Base[]): Base | undefined {
  const counts = new Map<string, { base: Base; count: number }>();
  for (const base of bases) {
    const { count = 0 } = counts.get(formatBase(base)) ?? {};
    counts.set(formatBase(base), { base, count: count + 1 });
  }
  return [...counts].sort(([a, x], [b, y]) => y.count - x.count || compareNames(b, a))[0]?.[1].base;
}

function exposedOf({
  exposed = {},
}: ApplicationDoc): Pick<BundleApplication, 'exposed' | 'exposedEndpoints'> {
  const endpoints = byName(exposed);
  const [first, ...more] = Object.entries(endpoints);
  if (!first) return { exposed: false };
  const [endpoint, { cidrs, spaces }] = first;
  const plain =
    more.length === 0 &&
    endpoint === '' &&
    spaces.length === 0 &&
    cidrs.length === anywhere.length &&
    anywhere.every((cidr) => cidrs.includes(cidr));
  return plain ? { exposed: true } : { exposed: true, exposedEndpoints: endpoints };
}

/** Relations between two applications. Peer relations are made automatically, those of an offer by its consumers. */
function relationsOf(view: View): BundleRelation[] {
  return [...view.list('relation')]
    .filter(({ life, endpoints, remote }) => life === 'alive' && endpoints.length === 2 && !remote?.offered)
    .map(({ endpoints }) => relationKey(endpoints))
    .sort(compareNames)
    .map((key): BundleRelation => {
      const [from = '', to = ''] = key.split(' ');
      return [from, to];
    });
}

function annotationsOf(view: View, tag: string): Readonly<Record<string, string>> {
  return byName(view.get('annotation', tag)?.values ?? {});
}

function byName<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => compareNames(a, b)));
}
