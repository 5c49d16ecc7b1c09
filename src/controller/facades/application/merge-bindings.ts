import type { application as spec } from '../../../wire/facades/application.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { mergeBindings as transaction } from '../../transactions/set/merge-bindings.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';

export async function mergeBindings(
  call: Call,
  params: ParamsOf<typeof spec, 'MergeBindings'>,
): Promise<ResultOf<typeof spec, 'MergeBindings'>> {
  return {
    results: await bulk(call, params.args, async ({ 'application-tag': tag, bindings, force }) => {
      const application = parseTagOf('application', tag);
      await changeModel(call, (tx) => transaction(tx, { application, bindings, force }));
      return {};
    }),
  };
}
