import { JujuError } from '../../../core/errors.ts';
import { isUserName, userId, type UserDoc } from '../../../core/user/document.ts';
import type { Tx } from '../tx.ts';

/**
 * Adds a user with access `login` to the controller, in the controller's space. The name of a removed user may be
 * taken again, without its rights. `createdBy`: name of the user who asks. Errors: '' for a name that cannot be one,
 * or that is taken.
 */
export function addUser(
  tx: Tx,
  args: Pick<UserDoc, 'name' | 'displayName' | 'createdBy' | 'passwordHash' | 'registrationKey'>,
): void {
  const { name } = args;
  if (!isUserName(name)) throw new JujuError('', `failed to create user: invalid user name "${name}"`);
  const id = userId(name);
  const existing = tx.get('user', id);
  if (existing && !existing.removed)
    throw new JujuError('already exists', `failed to create user: user ${name} already exists`);
  tx.put('user', id, { ...args, access: 'login', createdAt: tx.now, disabled: false });
}
