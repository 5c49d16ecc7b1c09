import { accessId } from '../access/document.ts';
import { defineKind } from '../kind.ts';

/** The time of a user's last login. Controller space; id as AccessDoc's (model '' = controller). */
interface LastLoginDoc {
  readonly user: string;
  readonly model: string;
  readonly at: string;
}

export const lastLogin = defineKind<LastLoginDoc>()({
  space: 'controller',
  idOf: accessId,
  indexes: { user: (doc) => doc.user },
});
