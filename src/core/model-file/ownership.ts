/**
 * What belongs to a model file: entities that an apply of it has made, and values that it has set last. Only that may
 * `--prune` take away (model-files.md#ownership).
 */
import { defined } from '../defined.ts';
import { healthOf } from '../gates/gate.ts';
import type { Entities, Kind } from '../kinds.ts';
import { defaultSpace } from '../space/document.ts';

/** Mark of an entity that a model file has made; it goes with the entity. */
export interface Made {
  /** Name of the file. */
  readonly madeBy?: string;
}

/**
 * Values that model files have set, and nobody else since: key → name of the file. Keys: `option NAME` and
 * `setting NAME` for config, `binding ENDPOINT`, `annotation KEY`, `constraints`, `expose`, `trust`, `after`,
 * `description`.
 */
export type SetBy = Readonly<Record<string, string>>;

/** The author of a change: a user who applies a file to a model or reverts it, or (undefined) anybody else. */
export interface Applier {
  readonly file: string;
  readonly user: string;
  /** UUID of the model. */
  readonly model: string;
  /**
   * Set for a revert: the document as it was then, whose marks go with what is made as it was; and for a bundle, which
   * gives no marks.
   */
  readonly former?: <P extends Kind>(of: Put<P>) => Entities[P] | undefined;
}

/** A document that is put. */
interface Put<P extends Kind> {
  readonly space: string;
  readonly kind: P;
  readonly id: string;
  readonly doc: Entities[P];
}

const ownable = [
  'application',
  'machine',
  'relation',
  'offer',
  'remote-application',
  'secret',
  'secret-grant',
  'storage-pool',
] as const satisfies readonly Kind[];
const ownableOfController = ['access', 'offer-access'] as const satisfies readonly Kind[];
const withValues = ['application', 'model', 'annotation', 'secret'] as const satisfies readonly Kind[];

type Doc = Record<string, unknown>;

/** The document as it is to be put: with the marks that follow from who makes or changes it. */
export function marked<P extends Kind>(
  change: Put<P> & { readonly before: Entities[P] | undefined },
  applier: Applier | undefined,
): Entities[P] {
  const { kind, before } = change;
  const doc = change.doc as object as Doc;
  let marks: Doc = {};
  if (isOwnable(kind)) {
    const madeBy = before ? (before as Made).madeBy : makerOf(change, applier);
    marks = { madeBy };
  }
  if (hasValues(kind)) {
    const was = before as Entities[Valued] | undefined;
    const setter = applier && isOf(change, applier) ? setterOf(kind, change as Put<Valued>, applier) : nobody;
    marks = { ...marks, setBy: setBy(kind, was, change.doc as Entities[Valued], setter) };
  }
  const differs = Object.entries(marks).some(([mark, value]) => doc[mark] !== value);
  if (!differs) return change.doc;
  const { madeBy: _made, setBy: _set, ...rest } = doc;
  return { ...rest, ...defined(marks) } as Entities[P];
}

/** Whether documents of the kind are given marks. */
export function hasMarks(kind: Kind): boolean {
  return isOwnable(kind) || hasValues(kind);
}

function hasValues(kind: Kind): kind is Valued {
  return (withValues as readonly Kind[]).includes(kind);
}

function isOwnable(kind: Kind): boolean {
  return ([...ownable, ...ownableOfController] as readonly Kind[]).includes(kind);
}

/** The file that makes the entity; undefined when it is none, or the entity is of its kind but no file's to take away. */
function makerOf(change: Put<Kind>, applier: Applier | undefined): string | undefined {
  if (!applier || !isOf(change, applier)) return undefined;
  if (applier.former) return (applier.former(change) as Made | undefined)?.madeBy;
  const { removeWhenEmpty, user, endpoints } = change.doc as object as Doc;
  // A unit's machine goes with its last unit.
  if (change.kind === 'machine' && removeWhenEmpty === true) return undefined;
  // Peer relations go with their application.
  if (change.kind === 'relation' && (endpoints as readonly unknown[]).length === 1) return undefined;
  // Who makes an offer is its admin: nobody loses access to what is their own.
  if ((ownableOfController as readonly Kind[]).includes(change.kind) && user === applier.user)
    return undefined;
  return applier.file;
}

/** Whether the document is one of the applier's model. */
function isOf(
  { space, kind, doc }: { readonly space: string; readonly kind: Kind; readonly doc: object },
  { model }: Applier,
): boolean {
  if (kind === 'model') return (doc as Entities['model']).uuid === model;
  return space === model || (space === '' && (doc as Doc)['model'] === model);
}

/** The file that sets a value, by the key of SetBy. */
type Setter = (key: string, value: unknown) => string | undefined;

const nobody: Setter = () => undefined;

/** A revert sets for the file that had set the same value then. */
function setterOf(kind: Valued, put: Put<Valued>, { file, former }: Applier): Setter {
  if (!former) return () => file;
  const doc = former(put);
  const values = valuesOf(kind, doc);
  return (key, value) => (isSame(values.get(key), value) ? doc?.setBy?.[key] : undefined);
}

/** The owners of values after a change; undefined when there are none. */
function setBy(
  kind: Valued,
  before: Entities[Valued] | undefined,
  after: Entities[Valued],
  setter: Setter,
): SetBy | undefined {
  const old = before?.setBy;
  const was = valuesOf(kind, before);
  const is = valuesOf(kind, after);
  const changed = [...new Set([...was.keys(), ...is.keys()])].filter(
    (key) => !isSame(was.get(key), is.get(key)),
  );
  if (changed.length === 0) return old;
  const owners: Record<string, string> = { ...old };
  for (const key of changed) {
    const file = is.has(key) ? setter(key, is.get(key)) : undefined;
    if (file !== undefined) owners[key] = file;
    else delete owners[key];
  }
  return Object.keys(owners).length === 0 ? undefined : owners;
}

/** The values that are set, by the keys of SetBy. */
function valuesOf(kind: Valued, doc: Entities[Valued] | undefined): Map<string, unknown> {
  if (!doc) return new Map();
  return new Map(Object.entries(defined((valuesOfKind[kind] as (doc: Entities[Valued]) => Doc)(doc))));
}

type Valued = (typeof withValues)[number];

const valuesOfKind: { readonly [K in Valued]: (doc: Entities[K]) => Doc } = {
  application: ({ config, constraints, exposed, trust, after, endpointBindings }) => ({
    ...keyed('option', config),
    ...keyed('binding', ownBindings(endpointBindings)),
    constraints: unlessEmpty(constraints),
    expose: exposed,
    trust: trust || undefined,
    // A gate that opens is as it was set.
    after: after && healthOf(after),
  }),
  model: ({ config, constraints }) => ({
    ...keyed('setting', config),
    constraints: unlessEmpty(constraints),
  }),
  annotation: ({ values }) => keyed('annotation', values),
  secret: ({ description }) => ({ description: description || undefined }),
};

/** Bindings to another space than endpoints have without one. */
function ownBindings(bindings: Readonly<Record<string, string>>): object {
  const { '': fallback = defaultSpace } = bindings;
  return Object.fromEntries(
    Object.entries(bindings).filter(
      ([endpoint, space]) => space !== (endpoint === '' ? defaultSpace : fallback),
    ),
  );
}

function keyed(word: string, values: object): Doc {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${word} ${name}`, value]));
}

function unlessEmpty(constraints: object): object | undefined {
  return Object.keys(constraints).length > 0 ? constraints : undefined;
}

function isSame(a: unknown, b: unknown): boolean {
  return (
    a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b))
  );
}
