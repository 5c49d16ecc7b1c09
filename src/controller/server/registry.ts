import { decoderFor, type Decoder } from '../../wire/decode.ts';
import type { FacadeSpec, Method } from '../facade.ts';

/** A facade with its functions. The table is a FacadeTable of the spec (its own file checks that). */
export interface RegistryEntry {
  readonly spec: FacadeSpec;
  readonly table: Readonly<Record<string, Method<never, unknown>>>;
}

/** Facade name → facade. */
export type FacadeRegistry = ReadonlyMap<string, Facade>;

export interface Facade {
  readonly spec: FacadeSpec;
  readonly methods: ReadonlyMap<string, FacadeMethod>;
  /** Whether requests to it name a watcher by `id`. */
  readonly takesId: boolean;
}
export interface FacadeMethod {
  readonly method: Method<unknown, unknown>;
  readonly decode: Decoder<unknown>;
}

/** Errors: throws when a facade is there twice, or a method of its spec has no function. */
export function createRegistry(entries: readonly RegistryEntry[]): FacadeRegistry {
  const registry = new Map<string, Facade>();
  for (const { spec, table } of entries) {
    if (registry.has(spec.name)) throw new Error(`facade ${spec.name} is registered twice`);
    const methods = new Map<string, FacadeMethod>();
    for (const [name, { params }] of Object.entries(spec.methods)) {
      const method = Object.hasOwn(table, name) ? table[name] : undefined;
      if (!method) throw new Error(`facade ${spec.name} has no function for ${name}`);
      // The spec's schema is what makes the function's params what they are declared to be.
      methods.set(name, { method: method as Method<unknown, unknown>, decode: decoderFor(params) });
    }
    // In Juju's naming, as in ours, the facades that take a watcher's id are those called so.
    registry.set(spec.name, { spec, methods, takesId: spec.name.endsWith('Watcher') });
  }
  return registry;
}
