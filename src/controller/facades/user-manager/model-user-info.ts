import type { userManager as spec } from '../../../wire/facades/user-manager.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { bulk } from '../shared/bulk.ts';
import { modelOfTag } from '../shared/model-access.ts';
import { usersOfModel } from '../shared/users-of-model.ts';

type Result = ResultOf<typeof spec, 'ModelUserInfo'>['results'][number];

/** Lists the users of models, for callers who may read these. */
export async function modelUserInfo(
  call: Call,
  { entities }: ParamsOf<typeof spec, 'ModelUserInfo'>,
): Promise<ResultOf<typeof spec, 'ModelUserInfo'>> {
  const ofModels = await bulk(call, entities, ({ tag }) => ({
    users: usersOfModel(call, modelOfTag(call, tag, 'read')),
  }));
  const results: Result[] = ofModels.flatMap((found): Result[] =>
    'error' in found ? [found] : found.users.map((result) => ({ result })),
  );
  return { results };
}
