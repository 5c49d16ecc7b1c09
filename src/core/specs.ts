import type { KindSpec } from './kind.ts';
import { kinds, type Entities, type Kind } from './kinds.ts';

/** The specification of each kind, for code that treats all kinds alike. */
export const specs: { readonly [P in Kind]: KindSpec<Entities[P]> } = kinds;

/** A record with one value for each kind. */
export function mapKinds<T>(of: (kind: Kind) => T): Readonly<Record<Kind, T>> {
  return Object.fromEntries((Object.keys(kinds) as Kind[]).map((kind) => [kind, of(kind)])) as Record<
    Kind,
    T
  >;
}
