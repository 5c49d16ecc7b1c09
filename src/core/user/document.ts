import type { LevelOf } from '../access/levels.ts';
import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import { all } from '../quota.ts';
import { describeUser } from './history.ts';

/** A user. Controller space; id = user name in lower case (`admin`): names are unique whatever their case. */
export interface UserDoc {
  readonly name: string;
  readonly displayName: string;
  /** Scrypt hash; '' = the user has no password, and registers first. */
  readonly passwordHash: string;
  /** Time of the last change of the password by people; absent: the time at which the user was added. */
  readonly passwordSetAt?: string;
  /** Sealed key by which the user registers; it goes when a password is set. */
  readonly registrationKey?: string;
  /** Access to the controller; '' after its revocation. */
  readonly access: LevelOf<'controller'> | '';
  readonly createdAt: string;
  readonly createdBy: string;
  readonly disabled: boolean;
  /** Set when the user was removed: the record stays until somebody is added with its name. */
  readonly removed?: true;
}

/** The id of a user: its name in lower case, without the domain `@local` of users that the controller knows itself. */
export function userId(name: string): string {
  return name.toLowerCase().replace(/@local$/, '');
}

/** Whether the name is of a user of another domain, such as `bob@external` (login.md#users-of-other-domains). */
export function isExternal(name: string): boolean {
  return userId(name).includes('@');
}

/** Whether the user may do anything at all. */
export function isActive(user: Pick<UserDoc, 'disabled' | 'removed'>): boolean {
  return !user.disabled && !user.removed;
}

/**
 * Whether a credential that was given for the user's password at the time `time`, in milliseconds since 1970, counts
 * with today's password.
 */
export function isSinceLastPassword(
  { passwordHash, passwordSetAt, createdAt }: UserDoc,
  time: number,
): boolean {
  return passwordHash !== '' && time >= Date.parse(passwordSetAt ?? createdAt);
}

/** Whether a new user may have the name: letters, digits, `.`, `+` and `-`, the last three not at an end. */
export function isUserName(text: string): boolean {
  return text.length <= limits.userName.max && /^[a-zA-Z0-9](?:[a-zA-Z0-9.+-]*[a-zA-Z0-9])?$/.test(text);
}

export const user = defineKind<UserDoc>()({
  space: 'controller',
  idOf: ({ name }) => userId(name),
  describe: describeUser,
  quota: {
    measures: [{ limit: limits.displayName, of: ({ displayName }) => displayName }],
    counts: [{ ...all, limit: limits.users, whose: () => 'the controller' }],
  },
});
