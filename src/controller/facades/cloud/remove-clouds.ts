import type { cloud as spec } from '../../../wire/facades/cloud.ts';
import { permissionDenied } from '../../../core/errors.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { removeCloud } from '../../transactions/set/put-cloud.ts';
import { bulk } from '../shared/bulk.ts';
import { isCloudAdmin } from '../shared/model-access.ts';

export async function removeClouds(
  call: Call,
  params: ParamsOf<typeof spec, 'RemoveClouds'>,
): Promise<ResultOf<typeof spec, 'RemoveClouds'>> {
  return {
    results: await bulk(call, params.entities, async ({ tag }) => {
      const name = parseTagOf('cloud', tag);
      await call.store.change((tx) => {
        if (!isCloudAdmin(call, name, tx)) throw permissionDenied();
        removeCloud(tx.in(''), name);
      }, call.by);
      return {};
    }),
  };
}
