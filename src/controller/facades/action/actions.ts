import type { action as spec } from '../../../wire/facades/action.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import { mustGet } from '../../transactions/tx.ts';
import { bulk } from '../shared/bulk.ts';
import { describeTask } from './describe-task.ts';

export async function actions(
  call: Call,
  params: ParamsOf<typeof spec, 'Actions'>,
): Promise<ResultOf<typeof spec, 'Actions'>> {
  const view = call.read();
  return {
    results: await bulk(call, params.entities, ({ tag }) =>
      describeTask(mustGet(view, 'task', parseTagOf('action', tag)), call),
    ),
  };
}
