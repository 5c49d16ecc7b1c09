import { usageOfUser } from '../../../core/explain/usage.ts';
import { JujuError } from '../../../core/errors.ts';
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
  const user = controller.get('user', id);
  if (!user) throw new JujuError('not found', `user "${id}" not found`);
  const text = user.disabled ? 'disabled' : `has ${user.access} access`;
  const explanation = { kind: 'user', id, name: `user ${id}`, text, 'waits-for': [], more: 0, above: false };
  return { now: now(call), explanation, next: [], quotas: usageOfUser(id, controller) };
}
