import type { ModelDoc } from '../../../core/model/document.ts';
import { JujuError, permissionDenied } from '../../../core/errors.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call } from '../../facade.ts';
import { activeUser, modelAccess as accessOf, type ModelAccess } from '../../server/access.ts';

const rank: Readonly<Record<ModelAccess, number>> = { '': 0, read: 1, write: 2, admin: 3 };

/** Access of the caller to a model; '': it cannot even see it. */
export function modelAccess(call: Call, uuid: string): ModelAccess {
  const user = call.caller.kind === 'user' ? activeUser(call.read(), call.caller.name) : undefined;
  return user ? accessOf(call.read(), user, uuid) : '';
}

/**
 * Finds the model of a tag. Errors: `not found`; `unauthorized access`, which also hides missing models from everybody
 * but superusers.
 */
export function modelOfTag(call: Call, tag: string, needed: ModelAccess): ModelDoc {
  const uuid = parseTagOf('model', tag);
  const model = call.read().in('').get('model', uuid);
  if (!model && isSuperuser(call)) throw new JujuError('not found', `model "${uuid}" not found`);
  if (!model || rank[modelAccess(call, uuid)] < rank[needed]) throw permissionDenied();
  return model;
}

export function isSuperuser(call: Call): boolean {
  return call.caller.kind === 'user' && call.caller.controllerAccess === 'superuser';
}

/** User of a tag; another user than the caller only for a superuser. Errors: `unauthorized access`. */
export function userOfTag(call: Call, tag: string): string {
  const name = parseTagOf('user', tag);
  if (!isSuperuser(call) && !(call.caller.kind === 'user' && call.caller.name === name))
    throw permissionDenied();
  return name;
}
