import { allows } from '../../../core/access/access-of.ts';
import { reaches, type LevelOf } from '../../../core/access/levels.ts';
import type { ModelDoc } from '../../../core/model/document.ts';
import { JujuError, permissionDenied } from '../../../core/errors.ts';
import type { Entities } from '../../../core/kinds.ts';
import { isExternal, userId, type UserDoc } from '../../../core/user/document.ts';
import type { Reader } from '../../../store/store.ts';
import { parseTagOf, parseUserTag } from '../../../wire/tags.ts';
import type { Call } from '../../facade.ts';
import { activeUser, modelAccess as accessOf, type ModelAccess } from '../../server/access.ts';

/** State by which access is judged: the newest one, or that of the change which needs the access. */
export type State = Reader<Entities>;

/** Access of the caller to a model; '' when the caller cannot even see it. */
export function modelAccess(call: Call, uuid: string, state: State = call.read()): ModelAccess {
  const user = callingUser(call, state);
  return user ? accessOf(state, user, uuid) : '';
}

/** The calling user's record; undefined for agents, and for users who may not log in any more. */
export function callingUser(call: Call, state: State): UserDoc | undefined {
  return call.caller.kind === 'user' ? activeUser(state, call.caller.name, call.caller.since) : undefined;
}

/**
 * Finds the model of a tag. Errors: `not found`; `unauthorized access`, which also hides missing models from everybody
 * but superusers.
 */
export function modelOfTag(
  call: Call,
  tag: string,
  needed: Exclude<ModelAccess, ''>,
  state: State = call.read(),
): ModelDoc {
  const uuid = parseTagOf('model', tag);
  const model = state.in('').get('model', uuid);
  if (!model && isSuperuser(call, state)) throw new JujuError('not found', `model "${uuid}" not found`);
  if (!model || !reaches('model', modelAccess(call, uuid, state), needed)) throw permissionDenied();
  return model;
}

export function isSuperuser(call: Call, state: State = call.read()): boolean {
  return callingUser(call, state)?.access === 'superuser';
}

/** User of a tag; another user than the caller only for a superuser. Errors: `unauthorized access`. */
export function userOfTag(call: Call, tag: string, state: State = call.read()): string {
  const name = parseUserTag(tag);
  if (userId(callerName(call)) !== userId(name) && !isSuperuser(call, state)) throw permissionDenied();
  // Names are the same whatever their case: the record's spelling counts, or lower case where there is none.
  if (isExternal(name)) return userId(name);
  return state.in('').get('user', userId(name))?.name ?? name;
}

/** Name of the user who calls; '' for an agent. */
export function callerName({ caller }: Call): string {
  return caller.kind === 'user' ? caller.name : '';
}

/** Whether the caller may add models on the cloud, and so know of it. */
export function mayAddModelsOn(call: Call, cloud: string, state: State = call.read()): boolean {
  return hasCloudAccess(call, state, cloud, 'add-model');
}

export function isCloudAdmin(call: Call, cloud: string, state: State = call.read()): boolean {
  return hasCloudAccess(call, state, cloud, 'admin');
}

function hasCloudAccess(call: Call, state: State, cloud: string, level: LevelOf<'cloud'>): boolean {
  const user = callingUser(call, state);
  return user !== undefined && allows(state.in(''), user, { kind: 'cloud', id: cloud }, level);
}
