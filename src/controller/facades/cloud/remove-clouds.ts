import type { cloud as spec } from '../../../wire/facades/cloud.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { removeCloud } from '../../transactions/set/put-cloud.ts';
import { bulk } from '../shared/bulk.ts';

export async function removeClouds(
  call: Call,
  params: ParamsOf<typeof spec, 'RemoveClouds'>,
): Promise<ResultOf<typeof spec, 'RemoveClouds'>> {
  return {
    results: await bulk(call, params.entities, async ({ tag }) => {
      const name = parseTagOf('cloud', tag);
      await call.store.change((tx) => removeCloud(tx.in(''), name), call.by);
      return {};
    }),
  };
}
