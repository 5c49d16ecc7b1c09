import { externalUsersOf } from './external-users.ts';
import { defineKind } from '../kind.ts';
import { describeAccess } from './describe-access.ts';
import type { LevelOf } from './levels.ts';
import type { Made } from '../model-file/ownership.ts';

/** A user's access to a model. Controller space; id = `<user> <model uuid>`. */
interface AccessDoc extends Made {
  readonly user: string;
  readonly model: string;
  readonly access: LevelOf<'model'>;
}

/** The id `<user> <model uuid>`. */
export function accessId({ user, model }: Pick<AccessDoc, 'user' | 'model'>): string {
  return `${user} ${model}`;
}

const external = externalUsersOf<AccessDoc>(
  (doc) => doc.model,
  (doc) => `model ${doc.model}`,
);

export const access = defineKind<AccessDoc>()({
  space: 'controller',
  idOf: accessId,
  indexes: { model: (doc) => doc.model, user: (doc) => doc.user, external: external.index },
  quota: external.quota,
  findRemovedBy: ['model'],
  describe: describeAccess(
    () => 'model',
    ({ model }) => model,
  ),
});
