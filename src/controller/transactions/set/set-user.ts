/** Changes of users, in the controller's space (login.md#users). */
import { JujuError, permissionDenied } from '../../../core/errors.ts';
import { isActive, userId, type UserDoc } from '../../../core/user/document.ts';
import type { Tx, View } from '../tx.ts';

/** Returns a user that was not removed. Errors: `user not found`. */
export function mustGetUser(view: View, name: string): UserDoc {
  const user = view.get('user', userId(name));
  if (!user) throw new JujuError('user not found', `user "${name}" not found`);
  if (user.removed) throw new JujuError('user not found', `user "${user.name}" is permanently deleted`);
  return user;
}

/** Name of the controller model's owner: the user that can neither be disabled nor removed. */
export function controllerOwner(view: View): string {
  const uuid = view.get('controller', 'self')?.modelUuid ?? '';
  return view.get('model', uuid)?.owner ?? '';
}

/** Disables or enables a user; may be repeated. Errors: `unauthorized access` for an unknown user; '' for the owner. */
export function setUserDisabled(tx: Tx, args: { readonly name: string; readonly disabled: boolean }): void {
  const { disabled } = args;
  const user = tx.get('user', userId(args.name));
  if (!user || user.removed) throw permissionDenied();
  if (disabled && user.name === controllerOwner(tx))
    throw new JujuError('', 'failed to disable user: cannot disable controller model owner');
  if (user.disabled !== disabled) tx.put('user', userId(user.name), { ...user, disabled });
}

/**
 * Sets a user's password, after which its registration key is invalid. With `key`, the sealed key by which the user
 * registers, it is set only if that key is still the user's: a registration counts once.
 * Errors: `user not found`; `unauthorized access` for a disabled user; `not found` for a used key.
 */
export function setUserPassword(
  tx: Tx,
  {
    name,
    passwordHash,
    key,
  }: { readonly name: string; readonly passwordHash: string; readonly key?: string },
): void {
  const { registrationKey, ...user } = mustGetUser(tx, name);
  if (key !== undefined) {
    if (!isActive(user)) throw permissionDenied();
    if (registrationKey !== key) throw noRegistrationKey(user.name);
  }
  tx.put('user', userId(name), { ...user, passwordHash, passwordSetAt: tx.now });
}

export function noRegistrationKey(name: string): JujuError {
  return new JujuError('not found', `secret key for user "${name}" not found`);
}

/** Takes a user's password away and gives it a key to register again. Errors: `user not found`; '' while disabled. */
export function resetUserPassword(
  tx: Tx,
  { name, registrationKey }: { readonly name: string; readonly registrationKey: string },
): void {
  const user = mustGetUser(tx, name);
  if (user.disabled)
    throw new JujuError('', `cannot reset password for user "${user.name}": user deactivated`);
  tx.put('user', userId(name), { ...user, passwordHash: '', passwordSetAt: tx.now, registrationKey });
}
