import type { annotations as spec } from '../../../wire/facades/annotations.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { setAnnotations } from '../../transactions/set/set-annotations.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';

export async function set(
  call: Call,
  params: ParamsOf<typeof spec, 'Set'>,
): Promise<ResultOf<typeof spec, 'Set'>> {
  return {
    results: await bulk(call, params.annotations, async ({ entity, annotations }) => {
      await changeModel(call, (tx) => setAnnotations(tx, { tag: entity, values: annotations }));
      return {};
    }),
  };
}
