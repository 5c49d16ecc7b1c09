import { describeAccess } from '../access/describe-access.ts';
import type { LevelOf } from '../access/levels.ts';
import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import { all } from '../quota.ts';

/**
 * A user of another domain who has access to the controller (login.md#users-of-other-domains). Controller space; id =
 * the user's name in lower case, `bob@external`.
 */
export interface ExternalUserDoc {
  readonly user: string;
  readonly access: LevelOf<'controller'>;
}

export const externalUser = defineKind<ExternalUserDoc>()({
  space: 'controller',
  idOf: ({ user }) => user,
  indexes: { controller: () => 'self' },
  findRemovedBy: ['controller'],
  describe: describeAccess(() => 'controller'),
  quota: { counts: [{ ...all, limit: limits.externalUsers, whose: () => 'the controller' }] },
});
