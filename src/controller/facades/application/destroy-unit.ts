import type { application as spec } from '../../../wire/facades/application.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { destroyUnit as transaction } from '../../transactions/end/destroy-unit.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel, rehearse } from '../shared/change-model.ts';
import { destroyedWith, warned } from '../shared/destroyed.ts';
import { forceRequest } from '../shared/force.ts';

/** Destroys one unit. Juju's result has no place for the units that go with it. */
export async function destroyUnit(
  call: Call,
  params: ParamsOf<typeof spec, 'DestroyUnit'>,
): Promise<ResultOf<typeof spec, 'DestroyUnit'>> {
  return {
    results: await bulk(call, params.units, async (args) => {
      const unit = parseTagOf('unit', args['unit-tag']);
      const view = call.read();
      const doc = view.get('unit', unit);
      const { 'destroyed-units': _units, ...info } = await destroyedWith(view, doc ? [doc] : [], {
        destroyStorage: args['destroy-storage'] ?? false,
      });
      const destroyed = args['destroy-storage'] ? { destroyStorage: true } : {};
      const run = args['dry-run'] ? rehearse : changeModel;
      const done = await run(call, (tx) =>
        transaction(tx, { unit, ...forceRequest(call, args), ...destroyed }),
      );
      return { info, ...warned(done) };
    }),
  };
}
