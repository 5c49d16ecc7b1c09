/**
 * Secrets, their revisions and their end. Contents are elsewhere: records only have the key of each
 * (secrets.md#at-rest).
 */
import {
  ownerApplication,
  ownerKey,
  type SecretDoc,
  type SecretOwner,
} from '../../../core/secret/document.ts';
import { readContentKey } from '../../../core/secret/content-key.ts';
import { rotationOnSet, type RotatePolicy } from '../../../core/secret/rotate.ts';
import { secretConsumerId, type SecretConsumerDoc } from '../../../core/secret-consumer/document.ts';
import {
  secretGrantId,
  type SecretGrantDoc,
  type SecretSubject,
} from '../../../core/secret-grant/document.ts';
import { secretRevisionId, type SecretRevisionDoc } from '../../../core/secret-revision/document.ts';
import { defined } from '../../../core/defined.ts';
import { JujuError } from '../../../core/errors.ts';
import type { Tx, View } from '../tx.ts';

/** Changes of a secret; absent members stay as they are. */
export interface SecretChange {
  readonly label?: string;
  readonly description?: string;
  readonly rotate?: RotatePolicy;
  /** Time at which the newest revision expires. */
  readonly expires?: string;
  /** Key of the content of a new revision. */
  readonly content?: string;
  readonly autoPrune?: boolean;
}

export function mustGetSecret(view: View, id: string): SecretDoc {
  const secret = view.get('secret', id);
  if (!secret) throw secretNotFound(id);
  return secret;
}

export function secretNotFound(id: string): JujuError {
  return new JujuError('not found', `secret "${id}" not found`);
}

/** Creates a secret with its first revision. Errors: `already exists`. */
export function createSecret(
  tx: Tx,
  args: SecretChange & { readonly id: string; readonly owner: SecretOwner; readonly content: string },
): void {
  const { id, owner, label = '', description = '', rotate = 'never', expires, autoPrune = false } = args;
  // Remaining grants of a removed secret must not become those of another one.
  if (tx.get('secret', id) ?? countLeft(tx, id) > 0)
    throw new JujuError('already exists', `secret "${id}" already exists`);
  checkLabel(tx, owner, label, id);
  putRevision(tx, { secret: id, revision: 1, content: args.content, ...defined({ expires }) });
  tx.put('secret', id, {
    id,
    owner,
    label,
    description,
    rotate,
    ...defined({ nextRotate: rotationOnSet(rotate, undefined, tx.now) }),
    latest: 1,
    autoPrune,
    createdAt: tx.now,
    updatedAt: tx.now,
  });
}

/** Changes a secret; with a content it gets a new revision, which expires only when the change says so. */
export function updateSecret(tx: Tx, secret: SecretDoc, change: SecretChange): void {
  const { id, owner } = secret;
  const { label = secret.label, description = secret.description, rotate = secret.rotate } = change;
  const { autoPrune = secret.autoPrune, content, expires } = change;
  if (label !== secret.label) checkLabel(tx, owner, label, id);
  const latest = secret.latest + (content === undefined ? 0 : 1);
  if (content !== undefined)
    putRevision(tx, { secret: id, revision: latest, content, ...defined({ expires }) });
  else if (expires !== undefined) setExpiry(tx, newestRevision(tx, id), expires);
  const { nextRotate: oldNext, rotating, ...rest } = secret;
  const nextRotate = change.rotate === undefined ? oldNext : rotationOnSet(change.rotate, oldNext, tx.now);
  const next: SecretDoc = {
    ...rest,
    label,
    description,
    rotate,
    autoPrune,
    latest,
    ...defined({ nextRotate, rotating: nextRotate === undefined ? undefined : rotating }),
  };
  if (content === undefined && JSON.stringify(next) === JSON.stringify({ ...secret })) return;
  tx.put('secret', id, { ...next, updatedAt: tx.now });
  if (content !== undefined && secret.latest > 0) settleRevision(tx, id, secret.latest);
  if (autoPrune && !secret.autoPrune)
    for (const { revision } of revisionsOf(tx, id)) settleRevision(tx, id, revision);
}

function putRevision(
  tx: Tx,
  revision: Omit<SecretRevisionDoc, 'createdAt' | 'obsolete' | 'nextExpiry'>,
): void {
  const { expires, content } = revision;
  checkKept(tx, content);
  tx.put('secret-revision', secretRevisionId(revision), {
    ...revision,
    ...defined({ nextExpiry: expires }),
    createdAt: tx.now,
    obsolete: false,
  });
}

/**
 * Makes a revision refer to its content at another place, unless it has moved or gone meanwhile. Errors: as checkKept.
 */
export function moveContent(
  tx: Tx,
  { id, from, to }: { readonly id: string; readonly from: string; readonly to: string },
): void {
  const revision = tx.get('secret-revision', id);
  if (revision?.content !== from) return;
  checkKept(tx, to);
  tx.put('secret-revision', id, { ...revision, content: to });
}

/** Checks that the content's backend is still there. Errors: '' when it was removed: the content would be lost. */
function checkKept(tx: Tx, content: string): void {
  const { backend } = readContentKey(content);
  if (backend !== '' && !tx.in('').get('secret-backend', backend))
    throw new JujuError('', `the secret backend ${backend} has been removed`);
}

function setExpiry(tx: Tx, revision: SecretRevisionDoc | undefined, expires: string): void {
  if (!revision || revision.expires === expires) return;
  const { expiring: _, ...rest } = revision;
  tx.put('secret-revision', secretRevisionId(revision), { ...rest, expires, nextExpiry: expires });
}

/**
 * Checks a label. Errors: `already exists` when the owner, its application or one of its units uses the label for
 * another secret.
 */
export function checkLabel(tx: Tx, owner: SecretOwner, label: string, id: string): void {
  if (label === '') return;
  const refuse = (): never => {
    const what = owner.kind === 'model' ? 'name' : 'label';
    throw new JujuError('already exists', `secret with ${what} "${label}" already exists`);
  };
  for (const other of tx.find('secret', 'label', `${ownerKey(owner)} ${label}`))
    if (other.id !== id) refuse();
  if (owner.kind === 'model') return;
  const ofApplication = `${ownerApplication(owner)} ${label}`;
  for (const other of tx.find('secret', 'labelOfAll', ofApplication))
    if (other.id !== id && other.owner.kind !== owner.kind) refuse();
  const consumers =
    owner.kind === 'unit'
      ? tx.find('secret-consumer', 'label', `${owner.id} ${label}`)
      : tx.find('secret-consumer', 'labelOfAll', ofApplication);
  for (const consumer of consumers) {
    const isThere = consumer.latest !== undefined || tx.get('secret', consumer.secret);
    if (consumer.secret !== id && isThere) refuse();
  }
}

/** Revisions of which the owner is to be told something, oldest first. */
export function dueRevisions(view: View, id: string): SecretRevisionDoc[] {
  return [...view.find('secret-revision', 'due', id)].sort((a, b) => a.revision - b.revision);
}

/** The revisions that there are, oldest first. */
export function revisionsOf(view: View, id: string): SecretRevisionDoc[] {
  return [...view.find('secret-revision', 'secret', id)].sort((a, b) => a.revision - b.revision);
}

/** The newest revision that has not been removed. */
export function newestRevision(view: View, id: string): SecretRevisionDoc | undefined {
  const latest = view.get('secret', id)?.latest ?? 0;
  return (
    view.get('secret-revision', secretRevisionId({ secret: id, revision: latest })) ??
    revisionsOf(view, id).at(-1)
  );
}

/**
 * Decides anew whether a revision is obsolete: nobody tracks it and it is not the newest. An obsolete revision of a
 * secret with auto-prune is removed.
 */
export function settleRevision(tx: Tx, id: string, revision: number): void {
  const key = secretRevisionId({ secret: id, revision });
  const doc = tx.get('secret-revision', key);
  if (!doc) return;
  const obsolete =
    newestRevision(tx, id)?.revision !== revision && tx.count('secret-consumer', 'tracks', key) === 0;
  const secret = tx.get('secret', id);
  if (obsolete && secret?.owner.kind === 'model' && secret.autoPrune)
    return tx.remove('secret-revision', key);
  if (doc.obsolete === obsolete) return;
  const { told: _, ...rest } = doc;
  tx.put('secret-revision', key, { ...rest, obsolete });
}

/** Maximum number of a secret's records that go with it in one change; more are left to the secret remover. */
const ofSecretAtOnceMax = 20;

/**
 * Removes revisions of a secret, or the whole secret, which also goes with its last revision. Nobody can read it from
 * then on, also when very many records of it are left to the secret remover. Errors: `not found`.
 */
export function removeSecret(tx: Tx, id: string, revisions: readonly number[] = []): void {
  mustGetSecret(tx, id);
  for (const revision of revisions) {
    const key = secretRevisionId({ secret: id, revision });
    if (!tx.get('secret-revision', key)) throw secretNotFound(key);
    tx.remove('secret-revision', key);
  }
  if (revisions.length > 0) {
    const newest = newestRevision(tx, id);
    if (newest) return settleRevision(tx, id, newest.revision);
  }
  tx.remove('secret', id);
  if (countLeft(tx, id) > ofSecretAtOnceMax) return;
  removeReadings(tx, tx.find('secret-consumer', 'secret', id));
  removeGrants(tx, tx.find('secret-grant', 'secret', id));
  removeRevisions(tx, tx.find('secret-revision', 'secret', id));
}

/** Number of existing records of a secret, without its own. */
export function countLeft(view: View, id: string): number {
  const kinds = ['secret-revision', 'secret-grant', 'secret-consumer'] as const;
  return kinds.reduce((sum, kind) => sum + view.count(kind, 'secret', id), 0);
}

export function removeReadings(tx: Tx, readings: Iterable<SecretConsumerDoc>): void {
  for (const reading of readings) tx.remove('secret-consumer', secretConsumerId(reading));
}

export function removeGrants(tx: Tx, grants: Iterable<SecretGrantDoc>): void {
  for (const grant of grants) tx.remove('secret-grant', secretGrantId(grant));
}

export function removeRevisions(tx: Tx, revisions: Iterable<SecretRevisionDoc>): void {
  for (const revision of revisions) tx.remove('secret-revision', secretRevisionId(revision));
}

/**
 * Maximum number of a subject's secrets, grants and readings that go with it in one change; more of a unit's are left
 * to the secret remover.
 */
export const ofSubjectAtOnceMax = 200;

/**
 * Removes what an application or a unit owned, was granted and read. Very many of a unit's are left to the secret
 * remover.
 */
export function removeSecretsOf(tx: Tx, subject: SecretSubject): void {
  const isLeft = (count: number): boolean => subject.kind === 'unit' && count > ofSubjectAtOnceMax;
  const key = ownerKey(subject);
  if (!isLeft(tx.count('secret', 'owner', key)))
    for (const { id } of tx.find('secret', 'owner', key)) removeSecret(tx, id);
  if (!isLeft(tx.count('secret-grant', 'subject', key)))
    removeGrants(tx, tx.find('secret-grant', 'subject', key));
  if (subject.kind === 'application' || isLeft(tx.count('secret-consumer', 'unit', subject.id))) return;
  for (const reading of tx.find('secret-consumer', 'unit', subject.id)) forgetReading(tx, reading);
}

/** Forgets that a unit reads a secret. A reading that is forgotten already is ignored. */
export function forgetReading(tx: Tx, reading: SecretConsumerDoc): void {
  const now = tx.get('secret-consumer', secretConsumerId(reading));
  if (!now) return;
  tx.remove('secret-consumer', secretConsumerId(reading));
  settleRevision(tx, reading.secret, now.current);
}
