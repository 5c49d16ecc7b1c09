import { usageOfUser } from '../../../core/explain/usage.ts';
import { JujuError } from '../../../core/errors.ts';
import { userId, type UserDoc } from '../../../core/user/document.ts';
import type { lives as spec } from '../../../wire/facades/lives.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { userOfTag } from '../shared/model-access.ts';
import { now } from '../shared/now.ts';

/** Explains a user's use of limits. Errors: `unauthorized access` for another user, `not found` (superusers only). */
export function explainUser(
  call: Call,
  { tag }: ParamsOf<typeof spec, 'ExplainUser'>,
): ResultOf<typeof spec, 'ExplainUser'> {
  const id = userOfTag(call, tag);
  const controller = call.read().in('');
  const user = controller.get('user', userId(id));
  if (!user) throw new JujuError('not found', `user "${id}" not found`);
  const text = stateOf(user);
  const explanation = { kind: 'user', id, name: `user ${id}`, text, 'waits-for': [], more: 0, above: false };
  return { now: now(call), explanation, next: [], quotas: usageOfUser(id, controller) };
}

function stateOf({ access, disabled, removed, registrationKey, passwordHash }: UserDoc): string {
  if (removed) return 'was removed';
  if (disabled) return 'disabled';
  if (registrationKey !== undefined && passwordHash === '') return 'has not registered yet';
  return access === '' ? 'has no access to the controller' : `has ${access} access`;
}
