import type { Entities, Kind } from './kinds.ts';
import { refuseFrozen } from './migration/frozen.ts';
import { mapKinds, specs } from './specs.ts';
import type { IndexOf, KindSpec } from './kind.ts';
import { admit } from './quotas.ts';

/** Indexes by kind, by which the store finds documents other than by id. */
export const indexes = mapKinds((kind) => (specs[kind] as KindSpec<Entities[Kind]>).indexes ?? {}) as {
  readonly [P in Kind]: { readonly [index: string]: IndexOf<Entities[P]> };
};

/** The options that every store of the documents is opened with: indexes, history, and limits. */
export const documents = {
  indexes,
  findRemovedBy: mapKinds((kind) => specs[kind].findRemovedBy ?? []),
  quiet: quiet(),
  admit,
  permit: refuseFrozen,
} as const;

function quiet(): { readonly [P in Kind]?: NonNullable<KindSpec<Entities[P]>['isQuiet']> } {
  return Object.fromEntries(
    Object.entries(specs).flatMap(([kind, { isQuiet }]) => (isQuiet ? [[kind, isQuiet]] : [])),
  );
}
