import type { modelManager as spec } from '../../../wire/facades/model-manager.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { destroyModel } from '../../transactions/end/destroy-model.ts';
import { bulk } from '../shared/bulk.ts';
import { warned } from '../shared/destroyed.ts';
import { refuseRelease } from '../shared/storage.ts';
import { forceRequest, storageEnd } from '../shared/force.ts';
import { modelOfTag } from '../shared/model-access.ts';

/** Destroys models. The deadline of a forced one is `max-wait`, else `timeout`: both limit the whole destruction. */
export async function destroyModels(
  call: Call,
  params: ParamsOf<typeof spec, 'DestroyModels'>,
): Promise<ResultOf<typeof spec, 'DestroyModels'>> {
  return {
    results: await bulk(call, params.models, async (args) => {
      const { uuid } = modelOfTag(call, args['model-tag'], 'admin');
      const force = forceRequest(call, { ...args, 'max-wait': args['max-wait'] ?? args.timeout });
      const ends = storageEnd(args['destroy-storage']);
      if (ends.storageEnd === 'release') refuseRelease(call, uuid);
      return warned(
        await call.store.change((tx) => {
          modelOfTag(call, args['model-tag'], 'admin', tx);
          return destroyModel(tx.in(''), { uuid, ...force, ...ends });
        }, call.by),
      );
    }),
  };
}
