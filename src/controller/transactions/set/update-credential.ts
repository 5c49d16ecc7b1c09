import type { CloudDoc } from '../../../core/cloud/document.ts';
import { credentialId, type CredentialDoc } from '../../../core/credential/document.ts';
import { limits } from '../../../core/limits.ts';
import { defined } from '../../../core/defined.ts';
import { JujuError, notFound } from '../../../core/errors.ts';
import { modelsWith } from '../shared/models-with.ts';
import type { Tx } from '../tx.ts';
import { mustGetUser } from './set-user.ts';

/**
 * Writes a credential anew, in the controller's space. A credential that a removed user left stays so, and is changed
 * with `mayTakeOver` only: models depend on it.
 * Errors: `not found` (cloud), `user not found`, `not supported` (auth type), `already exists` (with `isNew`, or left
 * by a removed user).
 */
export function updateCredential(
  tx: Tx,
  credential: CredentialDoc,
  { isNew = false, mayTakeOver = false } = {},
): void {
  const cloud = tx.get('cloud', credential.cloud);
  if (!cloud) throw notFound('cloud', credential.cloud);
  if (!cloud.authTypes.includes(credential.authType))
    throw new JujuError(
      'not supported',
      `auth-type "${credential.authType}" not supported by cloud "${cloud.name}", expected one of ${cloud.authTypes.join(', ')}`,
    );
  const id = credentialId(credential);
  const existing = tx.get('credential', id);
  if (existing && (isNew || (existing.left && !mayTakeOver)))
    throw new JujuError('already exists', `credential "${credential.name}" already exists`);
  // A credential for a name without a user would belong to the next user who gets that name.
  if (!existing) mustGetUser(tx, credential.owner);
  tx.put('credential', id, { ...credential, ...defined({ left: existing?.left }) });
}

/** Credential of clouds that ask for none: clients show a credential for every model and look it up by name. */
export const emptyCredential = { name: 'default', authType: 'empty', attributes: {} } as const;

/**
 * Gives a user an empty credential of a cloud that asks for none, in the controller's space, unless the user has one of
 * the cloud (login.md#empty-credentials).
 */
export function giveEmptyCredential(tx: Tx, { user, cloud }: { user: string; cloud: CloudDoc }): void {
  if (!cloud.authTypes.includes(emptyCredential.authType)) return;
  const own = [...tx.find('credential', 'owner', user)];
  if (own.length >= limits.credentialsOfUser.max || own.some((one) => one.cloud === cloud.name)) return;
  updateCredential(tx, { ...emptyCredential, cloud: cloud.name, owner: user });
}

/**
 * Revokes a credential, in the controller's space. `force` is needed while models use it; for these it stays, empty,
 * until it is updated: none of their machines can be started or stopped before.
 * Errors: `not found`; '' when it is used.
 */
export function revokeCredential(tx: Tx, id: string, { force }: { force: boolean }): void {
  const credential = tx.get('credential', id);
  if (!credential) throw notFound('credential', id);
  const models = modelsWith(tx, id);
  if (models.length === 0) return tx.remove('credential', id);
  const count = models.length === 1 ? '1 model' : `${models.length} models`;
  if (!force)
    throw new JujuError(
      '',
      `cannot revoke credential "${credential.name}": it is still used by ${count}: ${models.map(({ name }) => name).join(', ')}`,
    );
  tx.put('credential', id, { ...credential, attributes: {}, revoked: true });
}

/**
 * Marks the credential of a model as refused by its cloud, in the controller's space: no machine is started or stopped
 * with it until it is updated. Errors: `not found` (model, credential).
 */
export function invalidateModelCredential(tx: Tx, args: { model: string; reason: string }): void {
  const model = tx.get('model', args.model);
  if (!model) throw notFound('model', args.model);
  const credential = model.credential === '' ? undefined : tx.get('credential', model.credential);
  if (!credential) throw new JujuError('not found', `model "${model.name}" has no credential`);
  tx.put('credential', model.credential, { ...credential, revoked: true, invalidReason: args.reason });
}

/**
 * Changes the credential of a model, in the controller's space. Errors: `not found`, `not valid` (of another cloud,
 * revoked).
 */
export function changeModelCredential(tx: Tx, args: { model: string; id: string }): void {
  const model = tx.get('model', args.model);
  if (!model) throw notFound('model', args.model);
  const credential = tx.get('credential', args.id);
  if (!credential) throw notFound('credential', args.id);
  if (credential.cloud !== model.cloud)
    throw new JujuError(
      'not valid',
      `credential "${credential.name}" is for cloud "${credential.cloud}", model "${model.name}" is on "${model.cloud}"`,
    );
  if (credential.revoked) throw new JujuError('not valid', `credential "${credential.name}" is revoked`);
  tx.put('model', model.uuid, { ...model, credential: args.id });
}
