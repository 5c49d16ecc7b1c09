import type { Entities } from '../../core/kinds.ts';
import { JujuError, notFound } from '../../core/errors.ts';
import { notThere } from '../../core/controller/no-application.ts';
import { cut, limits } from '../../core/limits.ts';
import { firstNumbers } from '../../core/sequence/document.ts';
import { initialStatus, statusId, type Status, type StatusKind } from '../../core/status.ts';
import type { Reader, Transactor } from '../../store/store.ts';

export type Tx = Transactor<Entities>;
export type View = Reader<Entities>;

/** Takes the next `count` numbers of a sequence and returns the first; a number is never given twice. */
export function takeNumbers(tx: Tx, name: string, count = 1): number {
  const first = nextNumber(tx, name);
  tx.put('sequence', name, { name, next: first + count });
  return first;
}

/** The next number of a sequence, which may not exist yet. */
export function nextNumber(tx: Tx, name: string): number {
  return (tx.get('sequence', name) ?? tx.get('sequence', firstNumbers))?.next ?? 0;
}

/** Returns the entity, or throws `application "x" not found`. */
export function mustGet<
  P extends 'application' | 'unit' | 'machine' | 'relation' | 'charm' | 'task' | 'model',
>(view: View, kind: P, id: string): Entities[P] {
  const found = view.get(kind, id);
  if (found) return found;
  if (kind === 'application' || kind === 'unit') throw missing(view, kind, id);
  throw kind === 'machine' ? new JujuError('not found', `machine ${id} not found`) : notFound(kind, id);
}

/** Error for an application or unit that the model does not have (cli.md#the-controllers-application). */
export function missing(view: View, kind: 'application' | 'unit', id: string): JujuError {
  const isControllers = view.in('').get('controller', 'self')?.modelUuid === view.space;
  return new JujuError('not found', notThere(kind, id, isControllers));
}

/**
 * The space's model, to which something is to be added. Errors: `not found`; '' when the model is dying: anything new
 * would only be taken down.
 */
export function aliveModel(tx: Tx): Entities['model'] {
  const model = mustGet(tx.in(''), 'model', tx.space);
  if (model.life !== 'alive') throw new JujuError('', `model "${model.name}" is no longer alive`);
  return model;
}

/** Status of the entity, or its initial status before one was set. */
export function statusOf(view: View, kind: StatusKind, entity: string, createdAt: string): Status {
  return view.get('status', statusId(kind, entity)) ?? initialStatus(kind, createdAt);
}

/**
 * Sets a status. An unchanged status keeps its time, so that a repetition writes nothing. A message that is too long is
 * cut: most come from a provider, and no caller could handle the error.
 */
export function setStatus(
  tx: Tx,
  kind: StatusKind,
  entity: string,
  status: string,
  text = '',
  data: Readonly<Record<string, unknown>> = {},
): void {
  const id = statusId(kind, entity);
  const message = cut(limits.statusMessage, text);
  const current = tx.get('status', id);
  if (
    current &&
    current.status === status &&
    current.message === message &&
    JSON.stringify(current.data ?? {}) === JSON.stringify(data)
  )
    return;
  tx.put('status', id, { kind, entity, status, message, data, since: tx.now });
}

export function removeStatuses(tx: Tx, entity: string, kinds: readonly StatusKind[]): void {
  for (const kind of kinds) tx.remove('status', statusId(kind, entity));
}
