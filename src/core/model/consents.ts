/** Consents to the offers of a model that has come from another controller (offers.md#offer-macaroons). */
import { isExternal, userId, type UserDoc } from '../user/document.ts';

export interface Consents {
  /** Root key of the macaroons, 32 bytes in base64, sealed: that of the controller where the first offer was made. */
  readonly key: string;
  /** Time of the arrival here, RFC 3339; absent while the model is under way. */
  readonly at?: string;
  /** Time since when a user's consents counted where the model comes from, by the user's id. */
  readonly since: Readonly<Record<string, string>>;
}

/**
 * The time since when consents of a user count: the name may have been somebody else's before. A user who was here when
 * the model came is the one of that name where it comes from.
 */
export function countSince(user: UserDoc, consents: Consents | undefined): string {
  const { at = '', since = {} } = consents ?? {};
  const id = userId(user.name);
  const before = user.createdAt <= at && Object.hasOwn(since, id) ? since[id] : undefined;
  return before ?? user.createdAt;
}

interface Records {
  get(kind: 'user', id: string): UserDoc | undefined;
  list(kind: 'user'): Iterable<UserDoc>;
}

/** Since when consents count of these users, and of those who may consume every offer. `root`: the controller's space. */
export function sinceOf(
  root: Records,
  users: Iterable<string>,
  consents: Consents | undefined,
): Consents['since'] {
  const ids = new Set([...users].filter((name) => !isExternal(name)).map(userId));
  for (const { name, access } of root.list('user')) if (access === 'superuser') ids.add(userId(name));
  const found = [...ids].sort().flatMap((id) => root.get('user', id) ?? []);
  return Object.fromEntries(found.map((user) => [userId(user.name), countSince(user, consents)]));
}
