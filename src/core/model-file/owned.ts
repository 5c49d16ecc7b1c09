/** What a file made in a model, or set last: only that may go because the file no longer names it. */
export const ownedKinds = [
  'application',
  'machine',
  'relation',
  'offer',
  /** A user's access to an offer: `OFFER USER`. */
  'offer-access',
  'saas',
  'secret',
  /** The right of an application to read a secret: `SECRET APPLICATION`. */
  'secret-grant',
  'storage-pool',
  /** A user's access to the model. */
  'access',
  /** A value of the model's configuration. */
  'setting',
  'model-constraints',
  /** An option that was set: `APPLICATION OPTION`. */
  'option',
  /** The constraints of an application. */
  'constraints',
  'expose',
  'trust',
  /** The gates of an application. */
  'after',
  /** The space of an application's endpoint: `APPLICATION ENDPOINT`, whose endpoint is '' for all others. */
  'binding',
  /** `application NAME KEY`, `machine ID KEY`. */
  'annotation',
  /** The description of a user's secret. */
  'secret-description',
] as const;

export type OwnedKind = (typeof ownedKinds)[number];

/** A thing that a file made: its kind and its name, which is `model` for the model's constraints. */
export interface Owned {
  readonly kind: OwnedKind;
  readonly name: string;
}

/** What a file made, as the keys of its things (ownedKey). */
export type OwnedThings = ReadonlySet<string>;

export function ownedKey({ kind, name }: Owned): string {
  return `${kind} ${name}`;
}

/** Whether the file made the thing of these names. */
export function owns(things: OwnedThings, kind: OwnedKind, ...names: readonly string[]): boolean {
  return things.has(ownedKey({ kind, name: names.join(' ') }));
}

/** A relation by its two ends, in whichever order they are written: `blog:db mysql:server`. */
export function relationName(endpoints: readonly [string, string]): string {
  return [...endpoints].sort((a, b) => (a < b ? -1 : 1)).join(' ');
}
