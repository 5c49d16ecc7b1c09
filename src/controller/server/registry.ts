import { decoderFor, type Decoder } from '../../wire/decode.ts';
import { hasVersion, schemasAt, type Schemas } from '../../wire/facade-spec.ts';
import type { FacadeSpec, Method } from '../facade.ts';

/** A facade with its functions. The table is a FacadeTable of the spec (its own file checks that). */
export interface RegistryEntry {
  readonly spec: FacadeSpec;
  readonly table: Readonly<Record<string, Method<never, unknown>>>;
}

/** Facades by name. */
export type FacadeRegistry = ReadonlyMap<string, Facade>;

export interface Facade extends RegistryEntry {
  /** Methods by announced version, then by name. */
  readonly versions: ReadonlyMap<number, ReadonlyMap<string, FacadeMethod>>;
  /** True when requests to the facade name a watcher by `id`. */
  readonly takesId: boolean;
}
export interface FacadeMethod {
  readonly method: Method<unknown, unknown>;
  readonly decode: Decoder<unknown>;
  readonly result: Schemas['result'];
}

/** Creates the registry. Errors: throws when a facade is there twice, or a method of its spec has no function. */
export function createRegistry(entries: readonly RegistryEntry[]): FacadeRegistry {
  const registry = new Map<string, Facade>();
  const decoders = new Map<Schemas['params'], Decoder<unknown>>();
  const decoderOf = (params: Schemas['params']): Decoder<unknown> => {
    const decoder = decoders.get(params) ?? decoderFor(params);
    decoders.set(params, decoder);
    return decoder;
  };
  for (const entry of entries) {
    const { spec } = entry;
    if (registry.has(spec.name)) throw new Error(`facade ${spec.name} is registered twice`);
    const versions = new Map(spec.versions.map((version) => [version, methodsAt(entry, version, decoderOf)]));
    // Facades that take a watcher's id end in `Watcher`, in Juju's naming as in grigri's.
    registry.set(spec.name, { ...entry, versions, takesId: spec.name.endsWith('Watcher') });
  }
  return registry;
}

function methodsAt(
  { spec, table }: RegistryEntry,
  version: number,
  decoderOf: (params: Schemas['params']) => Decoder<unknown>,
): Map<string, FacadeMethod> {
  const methods = new Map<string, FacadeMethod>();
  for (const [name, methodSpec] of Object.entries(spec.methods)) {
    const method = Object.hasOwn(table, name) ? table[name] : undefined;
    if (!method) throw new Error(`facade ${spec.name} has no function for ${name}`);
    if (!hasVersion(methodSpec, version)) continue;
    const { params, result } = schemasAt(methodSpec, version);
    // The schema guarantees that the function's params are what they are declared to be.
    methods.set(name, { method: method as Method<unknown, unknown>, decode: decoderOf(params), result });
  }
  return methods;
}
