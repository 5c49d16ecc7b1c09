import { defineKind } from '../kind.ts';

/** A user. Controller space; id = user name (`admin`). Passwords are scrypt hashes. */
export interface UserDoc {
  readonly name: string;
  readonly displayName: string;
  readonly passwordHash: string;
  readonly access: 'login' | 'superuser';
  readonly createdAt: string;
  readonly createdBy: string;
  readonly disabled: boolean;
}

export const user = defineKind<UserDoc>()({
  space: 'controller',
  idOf: ({ name }) => name,
});
