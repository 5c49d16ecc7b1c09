import { credentialId, type CredentialDoc } from '../../../core/credential/document.ts';
import { JujuError, notFound } from '../../../core/errors.ts';
import type { Tx, View } from '../tx.ts';

/**
 * Writes a credential anew, in the controller's space.
 * Errors: `not found` (cloud), `not supported` (auth type), `already exists` (with `isNew`).
 */
export function updateCredential(tx: Tx, credential: CredentialDoc, { isNew = false } = {}): void {
  const cloud = tx.get('cloud', credential.cloud);
  if (!cloud) throw notFound('cloud', credential.cloud);
  if (!cloud.authTypes.includes(credential.authType))
    throw new JujuError(
      'not supported',
      `auth-type "${credential.authType}" not supported by cloud "${cloud.name}", expected one of ${cloud.authTypes.join(', ')}`,
    );
  const id = credentialId(credential);
  if (isNew && tx.get('credential', id))
    throw new JujuError('already exists', `credential "${credential.name}" already exists`);
  tx.put('credential', id, credential);
}

/** Models that use the credential. */
export function modelsWith(view: View, id: string): { uuid: string; name: string }[] {
  return [...view.list('model')]
    .filter((model) => model.credential === id)
    .map(({ uuid, name }) => ({ uuid, name }));
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
