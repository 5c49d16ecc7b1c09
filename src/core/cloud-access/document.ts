import { externalUsersOf } from '../access/external-users.ts';
import { describeAccess } from '../access/describe-access.ts';
import type { LevelOf } from '../access/levels.ts';
import { defineKind } from '../kind.ts';

/** A user's access to a cloud. Controller space; id = `<user> <cloud>`. */
interface CloudAccessDoc {
  readonly user: string;
  readonly cloud: string;
  readonly access: LevelOf<'cloud'>;
}

/** The id `<user> <cloud>`. */
export function cloudAccessId({ user, cloud }: Pick<CloudAccessDoc, 'user' | 'cloud'>): string {
  return `${user} ${cloud}`;
}

const external = externalUsersOf<CloudAccessDoc>(
  (doc) => doc.cloud,
  (doc) => `cloud ${doc.cloud}`,
);

export const cloudAccess = defineKind<CloudAccessDoc>()({
  space: 'controller',
  idOf: cloudAccessId,
  indexes: { cloud: (doc) => doc.cloud, user: (doc) => doc.user, external: external.index },
  quota: external.quota,
  findRemovedBy: ['cloud'],
  describe: describeAccess(({ cloud }) => `cloud ${cloud}`),
});
