/** Access of users: who may do what (login.md#levels). All code that checks access asks here. */
import { cloudAccessId } from '../cloud-access/document.ts';
import type { Refs } from '../impediments.ts';
import { offerAccessId } from '../offer-access/document.ts';
import { isActive, isExternal, userId, type UserDoc } from '../user/document.ts';
import { accessId } from './document.ts';
import { reaches, type LevelOf } from './levels.ts';

/** An object of access; `model` by its UUID, `cloud` by its name, `offer` by its UUID, with that of its model. */
export type Accessed =
  | { readonly kind: 'controller' }
  | { readonly kind: 'model'; readonly id: string }
  | { readonly kind: 'cloud'; readonly id: string }
  | { readonly kind: 'offer'; readonly id: string; readonly model: string };
type LevelFor<O extends Accessed> = LevelOf<O['kind']>;

/** Records of users and their access, in the controller's space. */
type Records = Pick<Refs, 'get'>;

/** The parts of a user's record that access depends on. */
export type Grantee = Pick<UserDoc, 'name' | 'access' | 'disabled' | 'removed'>;

/** Returns the user, or undefined when it does not exist, is disabled or was removed. */
export function activeUser(records: Records, name: string): UserDoc | undefined {
  const user = records.get('user', userId(name));
  return user && isActive(user) ? user : undefined;
}

/**
 * Returns the user whose access is looked up: as `activeUser`, and also a user of another domain, who has no record.
 * Grants to a user of another domain count even without access to the controller.
 */
export function grantee(records: Records, name: string): Grantee | undefined {
  if (!isExternal(name)) return activeUser(records, name);
  const id = userId(name);
  return { name: id, access: records.get('external-user', id)?.access ?? 'login', disabled: false };
}

/** A user's access to an object, '' = none. A superuser is an admin of all, a model's admin of its offers. */
export function accessOf<O extends Accessed>(records: Records, user: Grantee, object: O): LevelFor<O> | '' {
  return levelOf(records, user, object) as LevelFor<O> | '';
}

function levelOf(records: Records, user: Grantee, object: Accessed): string {
  if (!isActive(user)) return '';
  if (object.kind === 'controller') return user.access;
  if (user.access === 'superuser') return 'admin';
  // A user who may not log in to the controller may do nothing on it.
  if (user.access === '') return '';
  const { name } = user;
  switch (object.kind) {
    case 'model':
      return records.get('access', accessId({ user: name, model: object.id }))?.access ?? '';
    case 'cloud':
      return records.get('cloud-access', cloudAccessId({ user: name, cloud: object.id }))?.access ?? '';
    case 'offer':
      if (levelOf(records, user, { kind: 'model', id: object.model }) === 'admin') return 'admin';
      return records.get('offer-access', offerAccessId({ user: name, offer: object.id }))?.access ?? '';
  }
}

/** Whether the user has this access to the object, or a higher one. */
export function allows<O extends Accessed>(
  records: Records,
  user: Grantee,
  object: O,
  level: LevelFor<O>,
): boolean {
  return reaches<O['kind']>(object.kind, accessOf(records, user, object), level);
}
