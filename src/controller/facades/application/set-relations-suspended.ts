import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { suspendRelation } from '../../transactions/end/suspend-relation.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';

/** Suspends and resumes relations through offers of the model. */
export async function setRelationsSuspended(
  call: Call,
  { args }: ParamsOf<typeof spec, 'SetRelationsSuspended'>,
): Promise<ResultOf<typeof spec, 'SetRelationsSuspended'>> {
  const results = await bulk(call, args, async ({ 'relation-id': id, suspended, message }) => {
    await changeModel(call, (tx) =>
      suspendRelation(tx, { id, suspended: suspended ? { reason: message } : undefined }),
    );
    return {};
  });
  return { results };
}
