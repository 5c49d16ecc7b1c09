import type { action as spec } from '../../../wire/facades/action.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import { cancelTask } from '../../transactions/set/cancel-task.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';
import { describeTask } from './describe-task.ts';

export async function cancel(
  call: Call,
  params: ParamsOf<typeof spec, 'Cancel'>,
): Promise<ResultOf<typeof spec, 'Cancel'>> {
  return {
    results: await bulk(call, params.entities, async ({ tag }) => {
      const task = parseTagOf('action', tag);
      return describeTask(await changeModel(call, (tx) => cancelTask(tx, { task })), call);
    }),
  };
}
