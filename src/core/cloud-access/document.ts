import type { LevelOf } from '../access/levels.ts';
import { defineKind } from '../kind.ts';

/** A user's access to a cloud. Controller space; id = `<user> <cloud>`. */
export interface CloudAccessDoc {
  readonly user: string;
  readonly cloud: string;
  readonly access: LevelOf<'cloud'>;
}

/** The id `<user> <cloud>`. */
export function cloudAccessId({ user, cloud }: Pick<CloudAccessDoc, 'user' | 'cloud'>): string {
  return `${user} ${cloud}`;
}

export const cloudAccess = defineKind<CloudAccessDoc>()({
  space: 'controller',
  idOf: cloudAccessId,
  indexes: { cloud: (doc) => doc.cloud, user: (doc) => doc.user },
  findRemovedBy: ['cloud'],
  describe: (before, after) => {
    const access = after ?? before;
    if (!access || before?.access === after?.access) return [];
    const change = after ? `has ${after.access} access` : 'no longer has access';
    return [
      { subject: `cloud ${access.cloud}`, what: `user ${access.user} ${change}`, detail: '', about: [] },
    ];
  },
});
