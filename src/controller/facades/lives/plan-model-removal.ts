import { JujuError } from '../../../core/errors.ts';
import { refuseMigrating } from '../../../core/migration/frozen.ts';
import type { lives as spec } from '../../../wire/facades/lives.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { destroyModel } from '../../transactions/end/destroy-model.ts';
import { bulk } from '../shared/bulk.ts';
import { rehearse } from '../shared/change-model.ts';
import { forceRequest, storageEnd } from '../shared/force.ts';
import { refuseRelease } from '../shared/storage.ts';
import { modelOfTag } from '../shared/model-access.ts';
import { planInTurns } from './plan-in-turns.ts';

export async function planModelRemoval(
  call: Call,
  params: ParamsOf<typeof spec, 'PlanModelRemoval'>,
): Promise<ResultOf<typeof spec, 'PlanModelRemoval'>> {
  const planned = new Set<string>();
  return {
    results: await bulk(call, params.models, async (args) => {
      const { uuid } = modelOfTag(call, args['model-tag'], 'admin');
      // Each model is planned once: a plan names all that the model has, and an answer is encoded in one turn.
      if (planned.has(uuid)) throw new JujuError('bad request', `model ${uuid} is named more than once`);
      planned.add(uuid);
      const force = forceRequest(call, args);
      const ends = storageEnd(args['destroy-storage']);
      if (ends.storageEnd === 'release') refuseRelease(call, uuid);
      await rehearse(call, (tx) => {
        const root = tx.in('');
        refuseMigrating((kind, id) => root.get(kind, id), uuid);
        destroyModel(root, { uuid, ...force, ...ends });
      });
      const { keptInstances = [] } = call.read().in('').get('model', uuid) ?? {};
      const { force: isForced = false, 'destroy-storage': destroyStorage = false } = args;
      const options = { force: isForced, destroyStorage, keptInstances };
      return { plan: await planInTurns(call.read().in(uuid), [{ kind: 'model', id: uuid }], options) };
    }),
  };
}
