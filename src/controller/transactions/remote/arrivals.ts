/** A model that another controller brings here (migration.md#arrival). */
import { grantee } from '../../../core/access/access-of.ts';
import { accessId } from '../../../core/access/document.ts';
import { reaches } from '../../../core/access/levels.ts';
import type { ArrivalDoc } from '../../../core/arrival/document.ts';
import { credentialId, type CredentialDoc } from '../../../core/credential/document.ts';
import { defined } from '../../../core/defined.ts';
import { JujuError, notFound } from '../../../core/errors.ts';
import type { Entities, Kind } from '../../../core/kinds.ts';
import { attemptOf, isMoved } from '../../../core/migration/phases.ts';
import { offerAccessId } from '../../../core/offer-access/document.ts';
import { isActive, isExternal, userId } from '../../../core/user/document.ts';
import { nextAttempt } from '../begin/begin-migration.ts';
import { takeInHosts } from '../begin/enlist-machine.ts';
import { countDocuments, removeDocuments } from '../end/remove-model.ts';
import type { Tx, View } from '../tx.ts';

/** What is known of a model before it arrives. */
export type Arriving = Omit<ArrivalDoc, 'at' | 'parts' | 'problem' | 'state'> & {
  readonly parts: NonNullable<ArrivalDoc['parts']>;
};

/**
 * Checks that the model could come here. `root`: the controller's space. Errors: '' with the reason, in Juju's words
 * where Juju has one.
 */
export function checkArrival(root: View, { parts, model: uuid, migration }: Arriving): void {
  const { model, access, credential } = parts;
  const known = root.get('arrival', uuid);
  const isHere = root.get('model', uuid) !== undefined;
  if (isHere || (known && known.state !== 'arriving' && known.migration === migration)) {
    const isLeaving = isHere && isMoved(root.get('migration', uuid));
    const advice = ': the target controller still hands its own copy over; try again in a moment';
    throw refused(`model with same UUID already exists (${uuid})${isLeaving ? advice : ''}`);
  }
  if ([...root.find('model', 'name', `${model.owner}/${model.name}`)].length > 0)
    throw refused(`model named "${model.name}" already exists`);
  const cloud = root.get('cloud', model.cloud);
  if (!cloud) throw refused(`cloud "${model.cloud}" is not known to the target controller`);
  if (model.region !== '' && !cloud.regions.some(({ name }) => name === model.region))
    throw refused(`cloud "${model.cloud}" of the target controller has no region "${model.region}"`);
  const { offerAccess = [], consumers = [] } = parts;
  const users = [model.owner, ...[...access, ...offerAccess].map(({ user }) => user)];
  const missing = users.filter((user) => !isThere(root, user));
  if (missing.length > 0)
    throw refused(
      `the target controller does not have the users of the model: ${[...new Set(missing)].sort().join(', ')}`,
    );
  const refusedOne = consumers.find((one) => !mayConsume(root, parts, one));
  if (refusedOne)
    throw refused(
      `user ${refusedOne.user} has relations by offer ${refusedOne.name}, which the user may not consume in the target controller`,
    );
  if (credential) checkCredential(root, credential);
}

/** Whether a user will be able to consume an offer of the model once this is here. */
function mayConsume(
  root: View,
  { access, offerAccess = [] }: Arriving['parts'],
  { user: name, offer }: NonNullable<Arriving['parts']['consumers']>[number],
): boolean {
  const user = grantee(root, name);
  if (!user || user.access === '') return false;
  const isUsers = (one: { readonly user: string }): boolean => userId(one.user) === userId(name);
  return (
    user.access === 'superuser' ||
    access.some((one) => isUsers(one) && reaches('model', one.access, 'admin')) ||
    offerAccess.some((one) => isUsers(one) && one.offer === offer && reaches('offer', one.access, 'consume'))
  );
}

/** Users of other domains need no record. */
function isThere(root: View, user: string): boolean {
  if (isExternal(user)) return true;
  const found = root.get('user', userId(user));
  return found !== undefined && isActive(found);
}

function checkCredential(root: View, credential: CredentialDoc): void {
  const here = root.get('credential', credentialId(credential));
  if (here?.revoked) throw refused(`credential "${here.name}" of the target controller is revoked`);
  if (here && here.authType !== credential.authType)
    throw refused(
      `credential "${here.name}" of ${here.owner} for cloud "${here.cloud}" is another one in the target controller`,
    );
}

/** Begins an arrival, in place of one that was given up or is to be repeated; its documents have to be gone. */
export function beginArrival(root: Tx, arriving: Arriving): void {
  checkArrival(root, arriving);
  if (countDocuments(root.in(arriving.model)) > 0) throw tryAgain();
  root.put('arrival', arriving.model, { ...arriving, state: 'arriving', at: root.now });
}

/** The arrival that a request is about. Errors: `not found`. */
export function arrivalOf(root: View, { model, migration }: Of): ArrivalDoc {
  const found = root.get('arrival', model);
  if (found?.migration !== migration) throw notFound('migration', migration);
  return found;
}

interface Of {
  readonly model: string;
  readonly migration: string;
}

/**
 * Whether the model has been migrated again since: only the controller that has it does so, and so that migration had
 * brought it here.
 */
function wasMigratedSince(root: View, { model, migration }: Of): boolean {
  return nextAttempt(root, model) > attemptOf(migration) + 1;
}

/** The arrival, while its documents may still be written. Errors: `not found`; '' when it was activated. */
function open(root: Tx, of: Of): ArrivalDoc {
  const found = arrivalOf(root, of);
  if (found.state !== 'arriving') throw refused(`migration ${of.migration} is over: the model is active`);
  return found;
}

export interface ArrivingDocument {
  readonly kind: Kind;
  readonly id: string;
  readonly doc: Entities[Kind];
}

export function putArriving(root: Tx, of: Of, documents: readonly ArrivingDocument[]): void {
  const found = open(root, of);
  const space = root.in(of.model);
  for (const { kind, id, doc } of documents) space.put(kind, id, doc);
  root.put('arrival', of.model, { ...found, at: root.now });
}

/** Makes a revision refer to its content here. Errors: `not found`. */
export function putArrivingContent(root: Tx, of: Of, revision: string, content: string): void {
  open(root, of);
  const space = root.in(of.model);
  const found = space.get('secret-revision', revision);
  if (!found) throw notFound('secret revision', revision);
  space.put('secret-revision', revision, { ...found, content });
}

/**
 * Activates the model: this one commit makes it this controller's. Repeated, it changes nothing, even when the model
 * has left since, or was destroyed.
 */
export function activate(root: Tx, of: Of, documents: number): void {
  if (root.get('arrival', of.model)?.migration !== of.migration && wasMigratedSince(root, of)) return;
  const found = arrivalOf(root, of);
  const { parts } = found;
  if (found.state !== 'arriving' || !parts) return;
  const arrived = countDocuments(root.in(of.model));
  if (arrived !== documents) throw refused(`${arrived} of ${documents} records of the model have arrived`);
  checkArrival(root, { ...found, parts });
  const { model, access, credential, offerAccess = [], goneHosts } = parts;
  if (credential && !root.get('credential', credentialId(credential)))
    root.put('credential', credentialId(credential), credential);
  const consents = model.consents && { ...model.consents, at: root.now };
  root.put('model', model.uuid, { ...model, ...defined({ consents }) });
  takeInHosts(root.in(model.uuid), goneHosts);
  for (const doc of access) root.put('access', accessId(doc), doc);
  for (const doc of offerAccess) root.put('offer-access', offerAccessId(doc), doc);
  // The model may have been here before.
  root.remove('migration', model.uuid);
  const { parts: _, ...rest } = found;
  root.put('arrival', model.uuid, { ...rest, state: 'adopting', at: root.now });
}

/** Records that the model's machines are this controller's, or why they are not yet. */
export function noteAdopted(root: Tx, model: string, problem: string | undefined): void {
  const found = root.get('arrival', model);
  if (found?.state !== 'adopting') return;
  const { problem: _, ...rest } = found;
  if (problem === undefined) root.put('arrival', model, { ...rest, state: 'here' });
  else root.put('arrival', model, { ...rest, ...defined({ problem }) });
}

/** Whether the arrival is there to be given up. Errors: '' when the model was activated. */
export function mayGiveUp(root: View, of: Of): boolean {
  const found = root.get('arrival', of.model);
  if (found?.migration !== of.migration) {
    if (wasMigratedSince(root, of)) throw refused('the model was active in the target controller');
    return false;
  }
  if (found.state !== 'arriving') throw refused('the model is active in the target controller');
  return true;
}

/** Removes documents of an arrival that is given up; the activation fails from then on. Errors: as mayGiveUp. */
export function removeArrived(
  root: Tx,
  of: Of,
  documents: readonly { readonly kind: Kind; readonly id: string }[],
): void {
  if (mayGiveUp(root, of)) removeDocuments(root.in(of.model), documents);
}

/** Ends an arrival whose documents are gone. Returns false when others have come meanwhile. Errors: as mayGiveUp. */
export function endArrival(root: Tx, of: Of): boolean {
  if (!mayGiveUp(root, of)) return true;
  if (countDocuments(root.in(of.model)) > 0) return false;
  root.remove('arrival', of.model);
  return true;
}

function refused(message: string): JujuError {
  return new JujuError('', message);
}

function tryAgain(): JujuError {
  return new JujuError('try again', 'what an earlier migration of the model has left is being removed');
}
