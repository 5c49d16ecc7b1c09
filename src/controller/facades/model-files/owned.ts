import type { Entities, Kind } from '../../../core/kinds.ts';
import { relationName, type Owned, type OwnedKind } from '../../../core/model-file/owned.ts';
import type { Made, SetBy } from '../../../core/model-file/ownership.ts';
import type { modelFiles as spec } from '../../../wire/facades/model-files.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import type { View } from '../../transactions/tx.ts';
import { parseTag } from '../../../wire/tags.ts';
import { currentModel } from '../shared/model.ts';

/** Returns what the file has made or set, of what is not being removed. */
export function owned(call: Call, { file }: ParamsOf<typeof spec, 'Owned'>): ResultOf<typeof spec, 'Owned'> {
  const model = currentModel(call);
  const view = call.read().in(model.uuid);
  const things = [
    ...Object.entries(namesOf).flatMap(([kind, names]) =>
      names(view, file).map((name): Owned => ({ kind: kind as MadeKind, name })),
    ),
    ...keysOf(model.setBy, file).map(setOnModel),
    ...[...view.list('application')].flatMap(({ name, setBy }) =>
      keysOf(setBy, file).map((key) => setOn(name, key)),
    ),
    ...[...view.list('annotation')].flatMap(({ tag, setBy }) => {
      const { kind, id } = parseTag(tag);
      return keysOf(setBy, file).map((key) => named('annotation', `${kind} ${id}`, key));
    }),
    ...[...view.list('secret')].flatMap(({ label, setBy }) =>
      keysOf(setBy, file).map((): Owned => ({ kind: 'secret-description', name: label })),
    ),
  ];
  return { revision: call.store.read().revision, owned: things };
}

/** Kinds of what is made, and not set. */
type MadeKind = Exclude<
  OwnedKind,
  | 'option'
  | 'constraints'
  | 'expose'
  | 'trust'
  | 'after'
  | 'binding'
  | 'annotation'
  | 'secret-description'
  | 'setting'
  | 'model-constraints'
>;

const namesOf: Readonly<Record<MadeKind, (view: View, file: string) => readonly string[]>> = {
  application: (view, file) => alive(made(view, 'application', file)).map(({ name }) => name),
  machine: (view, file) => alive(made(view, 'machine', file)).map(({ id }) => id),
  relation: (view, file) =>
    alive(made(view, 'relation', file)).map(({ key }) => relationName(key.split(' ') as [string, string])),
  offer: (view, file) => made(view, 'offer', file).map(({ name }) => name),
  saas: (view, file) =>
    made(view, 'remote-application', file).flatMap(({ name, ending }) => (ending ? [] : [name])),
  secret: (view, file) => made(view, 'secret', file).map(({ label }) => label),
  'secret-grant': (view, file) =>
    made(view, 'secret-grant', file).flatMap(({ secret, subject }) => {
      const doc = view.get('secret', secret);
      return doc ? [`${doc.label} ${subject.id}`] : [];
    }),
  'storage-pool': (view, file) => made(view, 'storage-pool', file).map(({ name }) => name),
  access: (view, file) => of(view.in('').find('access', 'model', view.space), file).map(({ user }) => user),
  'offer-access': (view, file) =>
    of(view.in('').find('offer-access', 'model', view.space), file).flatMap(({ offer: uuid, user }) => {
      const [offer] = view.find('offer', 'uuid', uuid);
      return offer ? [`${offer.name} ${user}`] : [];
    }),
};

function made<P extends Kind>(view: View, kind: P, file: string): Entities[P][] {
  return of(view.list(kind), file);
}

function of<D extends object>(docs: Iterable<D>, file: string): D[] {
  return [...docs].filter((doc: Made) => doc.madeBy === file);
}

function alive<D extends { readonly life: string }>(docs: readonly D[]): D[] {
  return docs.filter(({ life }) => life === 'alive');
}

/** Keys of the values that the file has set. */
function keysOf(setBy: SetBy | undefined, file: string): string[] {
  return Object.keys(setBy ?? {}).filter((key) => setBy![key] === file);
}

function setOnModel(key: string): Owned {
  if (key === 'constraints') return { kind: 'model-constraints', name: 'model' };
  return { kind: 'setting', name: key.slice('setting '.length) };
}

function setOn(application: string, key: string): Owned {
  switch (key) {
    case 'constraints':
    case 'expose':
    case 'trust':
    case 'after':
      return { kind: key, name: application };
    default:
      return named(key.startsWith('binding ') ? 'binding' : 'option', application, key);
  }
}

/** A value by the key of its mark: `option port`. */
function named(kind: 'option' | 'binding' | 'annotation', of: string, key: string): Owned {
  return { kind, name: `${of} ${key.slice(kind.length + 1)}` };
}
