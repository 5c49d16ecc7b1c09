import { accessId } from '../../../core/access/document.ts';
import { offerAccessId } from '../../../core/offer-access/document.ts';
import type { KindSpec } from '../../../core/kind.ts';
import type { Entities, Kind } from '../../../core/kinds.ts';
import { specs } from '../../../core/specs.ts';
import { JujuError } from '../../../core/errors.ts';
import { isImpeded } from '../../../core/impediments.ts';
import { limits } from '../../../core/limits.ts';
import { setStatus, type Tx, type View } from '../tx.ts';

/** Kinds of documents that a model's space can hold. */
const modelKinds = (Object.keys(specs) as Kind[]).filter((kind) => specs[kind].space !== 'controller').sort();

/** Documents of a model's space. */
export function documentsOf(view: View): { kind: Kind; id: string }[] {
  return modelKinds.flatMap((kind) => idsOf(view, kind).map((id) => ({ kind, id })));
}

/** Number of documents of a model's space. */
export function countDocuments(view: View): number {
  return modelKinds.reduce((sum, kind) => sum + view.count(kind), 0);
}

/** Whether documents of the kind belong to models. */
export function isModelKind(kind: string): kind is Kind {
  return (modelKinds as readonly string[]).includes(kind);
}

/** Removes the given documents of a model's space: a large model goes in several changes, its record last. */
export function removeDocuments(
  tx: Tx,
  documents: readonly { readonly kind: Kind; readonly id: string }[],
): void {
  for (const { kind, id } of documents) tx.remove(kind, id);
}

/** Records why the cloud has not released the model's resources. */
export function reportModelUnreleased(tx: Tx, message: string): void {
  setStatus(tx, 'model', '', 'destroying', message);
}

/**
 * Removes an emptied model, with the rest of its space. With `lookAgain` it stays known as a removed one, unless too
 * many do: returns whether. Errors: `model not empty`.
 */
export function removeModel(
  tx: Tx,
  uuid: string,
  { lookAgain }: { readonly lookAgain: boolean } = { lookAgain: false },
): boolean {
  const space = tx.in(uuid);
  if (isImpeded({ kind: 'model', id: uuid }, space))
    throw new JujuError('model not empty', 'model not empty');
  removeDocuments(space, documentsOf(space));
  for (const access of tx.find('access', 'model', uuid)) {
    tx.remove('access', accessId(access));
    tx.remove('last-login', accessId(access));
  }
  for (const access of tx.find('offer-access', 'model', uuid))
    tx.remove('offer-access', offerAccessId(access));
  const model = tx.get('model', uuid);
  tx.remove('migration', uuid);
  noteDestroyed(tx, uuid);
  tx.remove('model', uuid);
  if (!lookAgain || !model || tx.count('removed-model') >= limits.removedModels.max) return false;
  const { name, cloud, region, credential, config } = model;
  tx.put('removed-model', uuid, { uuid, name, cloud, region, credential, config, since: tx.now });
  return true;
}

/**
 * Keeps the record of the arrival of a model that is destroyed: the controller that it came from may not have heard of
 * the activation, and would take the model back if it were told of none.
 */
function noteDestroyed(tx: Tx, uuid: string): void {
  const arrival = tx.get('arrival', uuid);
  if (!arrival) return;
  if (tx.count('arrival', 'state', 'destroyed') >= limits.destroyedArrivals.max) {
    const [oldest] = [...tx.find('arrival', 'state', 'destroyed')].sort((a, b) => (a.at < b.at ? -1 : 1));
    if (oldest) tx.remove('arrival', oldest.model);
  }
  const { problem: _, ...rest } = arrival;
  tx.put('arrival', uuid, { ...rest, state: 'destroyed', at: tx.now });
}

/** Forgets a removed model: nothing can come for it any more. */
export function forgetRemovedModel(tx: Tx, uuid: string): void {
  tx.remove('removed-model', uuid);
}

function idsOf<P extends Kind>(view: View, kind: P): string[] {
  const { idOf } = specs[kind] as KindSpec<Entities[P]>;
  return [...view.list(kind)].map((doc) => idOf(doc));
}
