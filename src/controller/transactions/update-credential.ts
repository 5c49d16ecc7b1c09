import type { CredentialDoc } from '../../core/entities.ts';
import { JujuError } from '../../core/errors.ts';
import type { Tx } from './tx.ts';

/**
 * In the controller's space: writes a credential anew. Returns the models that use it.
 * Errors: `not found` (cloud), `not supported` (auth type).
 */
export function updateCredential(tx: Tx, credential: CredentialDoc): { uuid: string; name: string }[] {
  const cloud = tx.get('cloud', credential.cloud);
  if (!cloud) throw new JujuError('not found', `cloud "${credential.cloud}" not found`);
  if (!cloud.authTypes.includes(credential.authType))
    throw new JujuError(
      'not supported',
      `auth-type "${credential.authType}" not supported by cloud "${cloud.name}", expected one of ${cloud.authTypes.join(', ')}`,
    );
  const id = `${credential.cloud}_${credential.owner}_${credential.name}`;
  tx.put('credential', id, credential);
  return [...tx.list('model')]
    .filter((model) => model.credential === id)
    .map(({ uuid, name }) => ({ uuid, name }));
}
