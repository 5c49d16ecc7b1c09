import { z } from 'zod';
import type { CharmDoc } from '../../../core/charm/document.ts';
import type { CharmMeta, Endpoint, Role } from '../../../core/charm/metadata.ts';
import type { charms as spec } from '../../../wire/facades/charms.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { lxdProfileResult } from '../shared/lxd-profile.ts';
import { mustGet } from '../../transactions/tx.ts';
import { defined } from '../../../core/defined.ts';

type Charm = ResultOf<typeof spec, 'CharmInfo'>;

export function charmInfo(call: Call, params: ParamsOf<typeof spec, 'CharmInfo'>): Charm {
  return charmInfoOf(mustGet(call.read(), 'charm', params.url));
}

export function charmInfoOf(charm: CharmDoc): Charm {
  return {
    url: charm.url,
    revision: charm.revision,
    config: mapValues(charm.config, ({ type, description, default: value }) => ({
      type,
      description,
      ...defined({ default: value }),
    })),
    meta: metaOf(charm.meta),
    ...actionsOf(charm),
    ...(charm.lxdProfile ? { 'lxd-profile': lxdProfileResult(charm.lxdProfile) } : {}),
    sha256: charm.sha256,
    ...defined({
      version: charm.version || undefined,
      required: charm.meta.required?.length ? charm.meta.required : undefined,
      manifest: charm.bases.length > 0 ? { bases: charm.bases } : undefined,
    }),
  };
}

function actionsOf({ actions }: CharmDoc): Pick<Charm, 'actions'> {
  if (Object.keys(actions).length === 0) return {};
  return { actions: { specs: mapValues(actions, ({ description, params }) => ({ description, params })) } };
}

function metaOf(meta: CharmMeta): Charm['meta'] {
  const { name, summary, description, subordinate } = meta;
  return {
    name,
    summary,
    description,
    subordinate,
    ...present('provides', endpointsOf(meta, 'provider')),
    ...present('requires', endpointsOf(meta, 'requirer')),
    ...present('peers', endpointsOf(meta, 'peer')),
    ...present('extra-bindings', Object.fromEntries(meta.extraBindings.map((binding) => [binding, binding]))),
    ...defined({
      tags: meta.tags.length > 0 ? meta.tags : undefined,
      terms: meta.terms.length > 0 ? meta.terms : undefined,
      series: meta.series.length > 0 ? meta.series : undefined,
    }),
    ...present(
      'storage',
      mapValues(meta.storage, (raw, storage) => storageOf(storage, raw)),
    ),
    ...present(
      'resources',
      mapValues(meta.resources, (resource, key) => ({ name: key, ...resource })),
    ),
    // Clients parse the version and fail at an empty one.
    'min-juju-version': versionNumber(meta.minJujuVersion),
  };
}

/** Version with three numbers, as clients parse it: `3.6` becomes `3.6.0`; '', which admits every version, `0.0.0`. */
function versionNumber(text: string): string {
  if (text === '') return '0.0.0';
  return /^\d+\.\d+$/.test(text) ? `${text}.0` : text;
}

function endpointsOf(meta: CharmMeta, role: Role): Record<string, Endpoint> {
  return Object.fromEntries(Object.entries(meta.endpoints).filter(([, endpoint]) => endpoint.role === role));
}

const storageShape = z.looseObject({
  type: z.string().catch(''),
  description: z.string().catch(''),
  shared: z.boolean().catch(false),
  'read-only': z.boolean().catch(false),
  location: z.string().optional().catch(undefined),
  multiple: z
    .object({ range: z.union([z.string(), z.number()]).catch('1') })
    .optional()
    .catch(undefined),
});

/** Describes a storage. `range` is `N`, `N-`, `N-M` or `N+`; without one there is exactly one. No limit is -1. */
function storageOf(name: string, raw: unknown): NonNullable<Charm['meta']['storage']>[string] {
  const storage = storageShape.parse(raw ?? {});
  const range = String(storage.multiple?.range ?? '1');
  const [, min = '1', open, max] = /^(\d+)(?:([-+])(\d*))?$/.exec(range) ?? [];
  return {
    name,
    description: storage.description,
    type: storage.type,
    shared: storage.shared,
    'read-only': storage['read-only'],
    'count-min': Number(min),
    'count-max': max ? Number(max) : open ? -1 : Number(min),
    'minimum-size': 0,
    ...defined({ location: storage.location }),
  };
}

function present<K extends string, V>(key: K, map: Record<string, V>): { [P in K]?: Record<string, V> } {
  return (Object.keys(map).length > 0 ? { [key]: map } : {}) as { [P in K]?: Record<string, V> };
}

function mapValues<V, R>(
  map: Readonly<Record<string, V>>,
  fn: (value: V, key: string) => R,
): Record<string, R> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, fn(value, key)]));
}
