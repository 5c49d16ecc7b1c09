import type { HistoryEvent } from '../history/event.ts';
import type { UserDoc } from './document.ts';

/** Describes the change of a user for the history of the controller's model: never a password, or its hash. */
export function describeUser(before: UserDoc | undefined, after: UserDoc | undefined): HistoryEvent[] {
  if (!after) return [];
  return changes(before, after).map((what) => ({
    subject: `user ${after.name}`,
    what,
    detail: '',
    about: [],
  }));
}

function changes(before: UserDoc | undefined, after: UserDoc): string[] {
  if (after.removed) return before?.removed ? [] : ['removed'];
  if (!before || before.removed) return ['added'];
  const found: string[] = [];
  if (before.disabled !== after.disabled) found.push(after.disabled ? 'disabled' : 'enabled');
  if (before.access !== after.access)
    found.push(after.access === '' ? 'no longer has access' : `has ${after.access} access`);
  if (after.registrationKey !== undefined && before.registrationKey !== after.registrationKey)
    found.push('password reset');
  else if (before.registrationKey !== undefined && after.registrationKey === undefined)
    found.push('password set');
  // Another password, or the same one with a hash that costs more.
  else if (before.passwordHash !== after.passwordHash) found.push('password stored anew');
  return found;
}
