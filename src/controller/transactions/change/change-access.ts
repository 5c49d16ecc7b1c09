/** Grants and revocations, in the controller's space (login.md#levels, login.md#revoking). */
import { accessId } from '../../../core/access/document.ts';
import {
  afterGrant,
  afterRevoke,
  isLevel,
  type AccessObject,
  type LevelOf,
} from '../../../core/access/levels.ts';
import { cloudAccessId } from '../../../core/cloud-access/document.ts';
import { JujuError, notFound } from '../../../core/errors.ts';
import { offerAccessId } from '../../../core/offer-access/document.ts';
import { isExternal, userId } from '../../../core/user/document.ts';
import { allModels, suspendRevoked } from '../end/suspend-relation.ts';
import type { Tx } from '../tx.ts';
import { mustGetUser } from '../set/set-user.ts';
import { giveEmptyCredential } from '../set/update-credential.ts';

/** Change of access that a client asks for. */
export interface AccessChange {
  readonly user: string;
  /** Action: `grant` or `revoke`. */
  readonly action: string;
  readonly access: string;
}

/**
 * Changes controller access. Errors: `not valid` (level), `user not found`, `not found` (nothing to revoke), ''
 * (granted).
 */
export function changeControllerAccess(tx: Tx, change: AccessChange): void {
  const invalid = '"x" controller access not valid';
  const name = userToChange(tx, 'controller', change);
  if (isExternal(name)) {
    const access = changed('controller', change, tx.get('external-user', name)?.access ?? '', invalid);
    if (access === '') tx.remove('external-user', name);
    else tx.put('external-user', name, { user: name, access });
    return;
  }
  const user = mustGetUser(tx, name);
  const access = changed('controller', change, user.access, invalid);
  tx.put('user', userId(user.name), { ...user, access });
  if (change.action === 'revoke') suspendRevoked(tx, { user: user.name, models: allModels(tx) });
  if (access !== 'superuser') return;
  for (const cloud of tx.list('cloud')) giveEmptyCredential(tx, { user: user.name, cloud });
}

/** Changes access to a model. Errors: as changeControllerAccess; `not found` (model). */
export function changeModelAccess(tx: Tx, change: AccessChange & { readonly model: string }): void {
  const { model } = change;
  if (!tx.get('model', model))
    throw new JujuError('not found', `could not lookup model: model "${model}" not found`);
  const user = userToChange(tx, 'model', change);
  const id = accessId({ user, model });
  const invalid = 'could not modify model access: "x" model access not valid';
  const access = changed('model', change, tx.get('access', id)?.access ?? '', invalid);
  if (access === '') tx.remove('access', id);
  else tx.put('access', id, { user, model, access });
  suspendRevoked(tx, { user, models: [model] });
}

/** Changes access to a cloud. Errors: as changeControllerAccess; `not found` (cloud). */
export function changeCloudAccess(tx: Tx, change: AccessChange & { readonly cloud: string }): void {
  const { cloud } = change;
  const cloudDoc = tx.get('cloud', cloud);
  if (!cloudDoc) throw notFound('cloud', cloud);
  const user = userToChange(tx, 'cloud', change);
  const id = cloudAccessId({ user, cloud });
  const access = changed(
    'cloud',
    change,
    tx.get('cloud-access', id)?.access ?? '',
    '"x" cloud access not valid',
  );
  if (access === '') return tx.remove('cloud-access', id);
  tx.put('cloud-access', id, { user, cloud, access });
  if (!isExternal(user)) giveEmptyCredential(tx, { user, cloud: cloudDoc });
}

/**
 * Changes the access to an offer of the model. Relations of a user who may not consume it any more are suspended
 * (offers.md#suspended-relations). Errors: as changeControllerAccess; `not found` (offer).
 */
export function changeOfferAccess(
  tx: Tx,
  change: AccessChange & { readonly model: string; readonly offer: string },
): void {
  const space = tx.in(change.model);
  const offer = space.get('offer', change.offer);
  if (!offer) throw new JujuError('not found', `offer "${change.offer}" not found`);
  const user = userToChange(tx, 'offer', change);
  const id = offerAccessId({ user, offer: offer.uuid });
  const invalid = 'could not modify offer access: "x" offer access not valid';
  const access = changed('offer', change, tx.get('offer-access', id)?.access ?? '', invalid);
  if (access === '') tx.remove('offer-access', id);
  else tx.put('offer-access', id, { user, offer: offer.uuid, model: change.model, access });
  suspendRevoked(tx, { user, models: [change.model] });
}

/** Name of the user as records of access have it. Users of other domains have no record of their own. */
function userToChange(tx: Tx, kind: AccessObject, { user: name, action }: AccessChange): string {
  if (isExternal(name)) return userId(name);
  const user = tx.get('user', userId(name));
  if (user && !user.removed) return user.name;
  throw new JujuError(
    'user not found',
    `could not ${action} ${kind} access: user "${name}" does not exist locally: user "${name}" not found`,
  );
}

/** The level after the change; '' = none. `invalid`: Juju's words for a level that is none, which it calls "x". */
function changed<K extends AccessObject>(
  kind: K,
  { user, action, access }: AccessChange,
  held: LevelOf<K> | '',
  invalid: string,
): LevelOf<K> | '' {
  if (!isLevel(kind, access))
    throw new JujuError(
      'not valid',
      invalid.replace('"x"', () => JSON.stringify(access)),
    );
  switch (action) {
    case 'grant':
      try {
        return afterGrant(kind, held, access);
      } catch (error) {
        // Juju names the object for all but models.
        if (kind === 'model' || !(error instanceof JujuError)) throw error;
        throw new JujuError('', `could not grant ${kind} access: ${error.message}`);
      }
    case 'revoke':
      if (held === '')
        throw new JujuError(
          'not found',
          `could not revoke ${kind} access: ${kind} user "${user}" does not exist`,
        );
      return afterRevoke(kind, held, access);
    default:
      throw new JujuError('', `unknown action "${action}"`);
  }
}
