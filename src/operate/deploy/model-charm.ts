/** Charms that the model has already, as the controller describes them. */
import { call } from '../../client/calls.ts';
import type { Connection } from '../../client/connection.ts';
import { makeBase } from '../../core/base.ts';
import type { CharmMeta, ConfigOption } from '../../core/charm/metadata.ts';
import type { ParsedCharm } from '../../core/charm/parse-charm.ts';
import { defined } from '../../core/defined.ts';
import type { Charm } from '../../wire/facades/charms.ts';
import type { DeploySource } from './charm-source.ts';

/** The parts of a charm that the controller tells; the rest of its files stays there. */
type ToldCharm = Pick<ParsedCharm, 'meta' | 'config' | 'bases'>;

/** Returns the charm with this URL (`local:mysql-2`), of which nothing has to be sent. Errors: `not found`. */
export async function modelCharm(connection: Connection, url: string): Promise<DeploySource> {
  const told = await call(connection, 'Charms', 'CharmInfo', { url });
  return {
    charm: charmFromWire(told),
    revision: told.revision,
    upload: () => Promise.resolve(told.url),
  };
}

export function charmFromWire({ meta, config, manifest, required = [] }: Charm): ToldCharm {
  const { name, summary, description, subordinate } = meta;
  const full: CharmMeta = {
    name,
    summary,
    description,
    subordinate,
    endpoints: { ...meta.provides, ...meta.requires, ...meta.peers },
    required,
    tags: meta.tags ?? [],
    terms: meta.terms ?? [],
    minJujuVersion: meta['min-juju-version'] ?? '',
    series: meta.series ?? [],
    storage: {},
    resources: meta.resources ?? {},
    extraBindings: Object.keys(meta['extra-bindings'] ?? {}),
    assumes: [],
  };
  return {
    meta: full,
    config: Object.fromEntries(Object.entries(config).map(([option, spec]) => [option, optionOf(spec)])),
    bases: (manifest?.bases ?? []).map((base) => makeBase(base.name, base.channel)),
  };
}

const types = ['string', 'int', 'float', 'boolean', 'secret'] as const;

function optionOf({ type, description = '', default: value }: Charm['config'][string]): ConfigOption {
  return {
    type: types.find((known) => known === type) ?? 'string',
    description,
    ...defined({ default: value }),
  };
}
