import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { destroyUnit as transaction } from '../../transactions/destroy-unit.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel, tryInModel } from '../shared/change-model.ts';
import { forceRequest } from '../shared/force.ts';

export async function destroyUnit(
  call: Call,
  params: ParamsOf<typeof spec, 'DestroyUnit'>,
): Promise<ResultOf<typeof spec, 'DestroyUnit'>> {
  return {
    results: await bulk(call, params.units, async (args) => {
      const unit = parseTagOf('unit', args['unit-tag']);
      const run = args['dry-run'] ? tryInModel : changeModel;
      await run(call, (tx) => transaction(tx, { unit, ...forceRequest(call, args) }));
      return { info: {} };
    }),
  };
}
