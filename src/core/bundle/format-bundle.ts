import { seriesOfBase, type Base } from '../base.ts';
import { formatConstraints } from '../constraints.ts';
import { compareNames } from '../names.ts';
import type { Bundle, BundleApplication, BundleMachine } from './bundle.ts';
import { formatStorage } from './storage.ts';
import { formatBundlePlacement } from './placement.ts';

type Plain = Record<string, unknown>;

/**
 * A bundle as the documents of its file, with keys in Juju's order and without empty entries. Settings of exposed
 * endpoints and offers are in a second document, an overlay, where Juju expects them. `series` adds the older name of
 * each base.
 */
export function formatBundle(
  bundle: Bundle,
  { series = false }: { readonly series?: boolean } = {},
): Plain[] {
  const { name, description, defaultBase } = bundle;
  const applications = byName(bundle.applications);
  const overlays = applications.flatMap(([each, { exposedEndpoints, offers }]): [string, unknown][] => {
    const overlay = filled({
      'exposed-endpoints': formatExposed(exposedEndpoints ?? {}),
      offers: formatOffers(offers ?? {}),
    });
    return Object.keys(overlay).length > 0 ? [[each, overlay]] : [];
  });
  const base = {
    ...filled({
      name,
      description,
      ...(defaultBase && {
        'default-base': baseText(defaultBase),
        series: series ? seriesOfBase(defaultBase) : undefined,
      }),
      saas: Object.fromEntries(byName(bundle.saas ?? {}).map(([each, { url }]) => [each, { url }])),
    }),
    applications: Object.fromEntries(applications.map(([each, app]) => [each, applicationOf(app, series)])),
    ...filled({
      machines: Object.fromEntries(
        byName(bundle.machines).map(([id, machine]) => [id, machineOf(machine, series)]),
      ),
      relations: bundle.relations.map((relation) => [...relation]),
    }),
  };
  return overlays.length > 0 ? [base, { applications: Object.fromEntries(overlays) }] : [base];
}

/** Endpoint → `{expose-to-spaces, expose-to-cidrs}`. */
export function formatExposed(endpoints: NonNullable<BundleApplication['exposedEndpoints']>): Plain {
  return Object.fromEntries(
    byName(endpoints).map(([endpoint, { cidrs, spaces }]) => [
      endpoint,
      filled({ 'expose-to-spaces': spaces, 'expose-to-cidrs': cidrs }),
    ]),
  );
}

function formatOffers(offers: NonNullable<BundleApplication['offers']>): Plain {
  return Object.fromEntries(
    byName(offers).map(([offer, { endpoints, acl }]) => [
      offer,
      filled({ endpoints: [...endpoints], acl: sortedMap(acl) }),
    ]),
  );
}

function applicationOf(application: BundleApplication, series: boolean): Plain {
  const { charm, channel, revision, units, to, exposed, exposedEndpoints, trust } = application;
  return filled({
    charm,
    channel,
    revision,
    ...baseOf(application, series),
    resources: sortedMap(application.resources ?? {}),
    num_units: units === 0 ? undefined : units,
    to: to.map(formatBundlePlacement),
    expose: exposed && !exposedEndpoints ? true : undefined,
    options: sortedMap(application.options),
    annotations: sortedMap(application.annotations),
    constraints: formatConstraints(application.constraints),
    storage: formatStorage(application.storage),
    bindings: sortedMap(application.bindings),
    trust: trust ? true : undefined,
    require: [...application.require],
    after: sortedMap(application.after ?? {}),
    refresh: formatRolling(application.refresh),
  });
}

function formatRolling(rolling: BundleApplication['refresh']): Plain | undefined {
  return (
    rolling && {
      'max-unavailable': rolling.maxUnavailable,
      'wait-for': rolling.waitFor,
      ...(rolling.pauseAfterCanary ? { 'pause-after': 'canary' } : {}),
    }
  );
}

function machineOf(machine: BundleMachine, series: boolean): Plain {
  return filled({
    constraints: formatConstraints(machine.constraints),
    annotations: sortedMap(machine.annotations),
    ...baseOf(machine, series),
  });
}

function baseOf({ base }: { readonly base?: Base }, series: boolean): Plain {
  return base ? { series: series ? seriesOfBase(base) : undefined, base: baseText(base) } : {};
}

/** A base with its risk, as Juju writes it in bundles. */
function baseText({ name, channel }: Base): string {
  return `${name}@${channel}`;
}

/** The map without absent values, '', and empty lists and maps. */
export function filled(map: Plain): Plain {
  return Object.fromEntries(
    Object.entries(map).filter(
      ([, value]) =>
        value !== undefined &&
        value !== '' &&
        (typeof value !== 'object' || value === null || Object.keys(value).length > 0),
    ),
  );
}

function sortedMap<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(byName(record));
}

function byName<T>(record: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(record).sort(([a], [b]) => compareNames(a, b));
}
