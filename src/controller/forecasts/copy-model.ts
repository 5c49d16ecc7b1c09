/** The copy of a model that a forecast plays, without anything secret (forecasts.md#copy). */
import { notFound } from '../../core/errors.ts';
import { machineAnnotation } from '../../core/bundle/step.ts';
import { defined } from '../../core/defined.ts';
import { settingsOfCopy, type CopiedDocument } from '../../core/forecast/forecast.ts';
import type { KindSpec } from '../../core/kind.ts';
import type { Entities, Kind } from '../../core/kinds.ts';
import { checkLimit, limits } from '../../core/limits.ts';
import type { SetBy } from '../../core/model-file/ownership.ts';
import { specs } from '../../core/specs.ts';
import type { NextTurn } from '../../kit/clock.ts';
import type { Store } from '../../store/store.ts';
import { isSealed } from '../sealer.ts';
import type { View } from '../transactions/tx.ts';

/**
 * Kinds of a model that are left out: secrets and what their agents know of them, tasks with their output, and what
 * has no effect on what happens.
 */
const leftOut: ReadonlySet<Kind> = new Set<Kind>([
  'backup-schedule',
  'model-file',
  'offer',
  'offer-access',
  'operation',
  'payloads',
  'relation-end',
  'secret',
  'secret-consumer',
  'secret-grant',
  'secret-revision',
  'stray',
  'task',
]);

/** How documents are copied that may hold something secret, and what a forecast does not need. */
const copies: { readonly [P in Kind]?: (doc: Entities[P]) => Entities[P] } = {
  // By it an apply finds the machines that it has made, also those without units.
  annotation: ({ tag, values: { [machineAnnotation]: label } }) => ({
    tag,
    values: defined({ [machineAnnotation]: label }),
  }),
  cloud: (doc) => ({ ...without(doc, 'regionConfig', 'caCertificates'), config: {} }),
  credential: (doc) => ({ ...doc, attributes: {} }),
  'leader-settings': (doc) => ({ ...doc, values: {} }),
  machine: (doc) => without(doc, 'passwordHash'),
  model: ({ setBy, ...doc }) => ({
    ...doc,
    config: playedConfig(doc.config),
    ...defined({ setBy: setBy && ownedInCopy(setBy) }),
  }),
  settings: (doc) => ({ ...doc, values: {} }),
  'unit-state': (doc) => ({ ...without(doc, 'newer'), charm: {} }),
};

/** Returns the document without those of its members, which may be absent. */
function without<D extends object, M extends keyof D>(doc: D, ...members: M[]): Omit<D, M> {
  const rest: Partial<D> = { ...doc };
  for (const member of members) delete rest[member];
  return rest as Omit<D, M>;
}

/** Documents that are copied between two turns of the event loop. */
const atOnce = 500;

/**
 * Copies a model and what it needs of the controller's own documents, as they are at one moment, in many turns.
 * Errors: `not found`; `quota limit exceeded` for a model that is too large; those of the signal.
 */
export async function copyModel(
  store: Pick<Store<Entities>, 'at' | 'read' | 'held'>,
  { modelUuid, nextTurn, signal }: { modelUuid: string; nextTurn: NextTurn; signal: AbortSignal },
): Promise<CopiedDocument[]> {
  const newest = store.read().in(modelUuid);
  checkLimit(limits.forecastEntities, newest.count('unit') + newest.count('machine'));
  checkLimit(limits.forecastBytes, store.held(modelUuid));
  const root = (await store.at(newest.revision)).in('');
  const copied: CopiedDocument[] = [];
  for (const [space, kind, id, doc] of documentsOf(root, modelUuid)) {
    copied.push({ space, kind, id, doc: structuredClone(copyOf(kind, doc)) });
    if (copied.length % atOnce !== 0) continue;
    await new Promise<void>((resolve) => nextTurn(resolve));
    signal.throwIfAborted();
  }
  return copied;
}

type Found = readonly [space: string, kind: Kind, id: string, doc: object];

function* documentsOf(root: View, modelUuid: string): Iterable<Found> {
  const model = root.get('model', modelUuid);
  const controller = root.get('controller', 'self');
  if (!model || !controller) throw notFound('model', modelUuid);
  const cloud = root.get('cloud', model.cloud);
  const credential = root.get('credential', model.credential);
  // Of the controller's settings none that may hold a secret.
  yield ['', 'controller', 'self', { ...controller, config: {} }];
  yield ['', 'model', modelUuid, model];
  if (cloud) yield ['', 'cloud', model.cloud, cloud];
  if (credential) yield ['', 'credential', model.credential, credential];
  const view = root.in(modelUuid);
  for (const kind of Object.keys(specs) as Kind[]) {
    if (specs[kind].space === 'controller' || leftOut.has(kind)) continue;
    for (const doc of view.list(kind)) yield [modelUuid, kind, idOf(kind, doc), doc];
  }
}

function idOf(kind: Kind, doc: object): string {
  return (specs[kind] as KindSpec<object>).idOf(doc);
}

function copyOf(kind: Kind, doc: object): object {
  return (copies[kind] as ((doc: object) => object) | undefined)?.(doc) ?? doc;
}

/** Settings of a model that is played: no secrets, and no hooks that only look. */
function playedConfig(config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const open = Object.entries(config).filter(
    ([key, value]) => key !== 'secret-backend' && !(typeof value === 'string' && isSealed(value)),
  );
  return { ...Object.fromEntries(open), 'update-status-hook-interval': '60m' };
}

function ownedInCopy(setBy: SetBy): SetBy {
  const keys = new Set([...settingsOfCopy].map((name) => `setting ${name}`));
  return Object.fromEntries(Object.entries(setBy).filter(([key]) => !keys.has(key)));
}
