import { accessId } from '../../../core/access/document.ts';
import { cloudAccessId } from '../../../core/cloud-access/document.ts';
import { credentialId } from '../../../core/credential/document.ts';
import { JujuError } from '../../../core/errors.ts';
import { offerAccessId } from '../../../core/offer-access/document.ts';
import { userId } from '../../../core/user/document.ts';
import { modelsWith } from '../shared/models-with.ts';
import { allModels, suspendRevoked } from './suspend-relation.ts';
import type { Tx } from '../tx.ts';

/**
 * Removes a user with all its access, in the controller's space. Its models stay with the credentials that they use,
 * and so does its record, marked: others were created by it. Errors: `user not found`; '' for the controller's owner.
 */
export function removeUser(tx: Tx, args: { readonly name: string; readonly owner: string }): void {
  const user = tx.get('user', userId(args.name));
  if (!user || user.removed)
    throw new JujuError(
      'user not found',
      `failed to delete user "${args.name}": user "${args.name}" not found`,
    );
  const { name } = user;
  if (name === args.owner) throw new JujuError('', `cannot delete controller owner "${name}"`);
  for (const access of tx.find('access', 'user', name)) tx.remove('access', accessId(access));
  for (const access of tx.find('cloud-access', 'user', name))
    tx.remove('cloud-access', cloudAccessId(access));
  for (const access of tx.find('offer-access', 'user', name))
    tx.remove('offer-access', offerAccessId(access));
  for (const login of tx.find('last-login', 'user', name)) tx.remove('last-login', accessId(login));
  for (const one of tx.find('credential', 'owner', name))
    if (modelsWith(tx, credentialId(one)).length > 0)
      tx.put('credential', credentialId(one), { ...one, left: true });
    else tx.remove('credential', credentialId(one));
  const { registrationKey: _key, ...rest } = user;
  tx.put('user', userId(name), { ...rest, passwordHash: '', access: '', removed: true });
  suspendRevoked(tx, { user: name, models: allModels(tx) });
}
