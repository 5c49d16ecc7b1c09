import type { cloud as spec } from '../../../wire/facades/cloud.ts';
import type { CloudDoc } from '../../../core/cloud/document.ts';
import { notFound } from '../../../core/errors.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { updateCloud as transaction } from '../../transactions/set/put-cloud.ts';
import { bulk } from '../shared/bulk.ts';
import { checkKept, readCloud } from './read-cloud.ts';

export async function updateCloud(
  call: Call,
  params: ParamsOf<typeof spec, 'UpdateCloud'>,
): Promise<ResultOf<typeof spec, 'UpdateCloud'>> {
  return {
    results: await bulk(call, params.clouds, async ({ name, cloud }) => {
      const before = call.read().in('').get('cloud', name);
      if (!before) throw notFound('cloud', name);
      const after = readCloud(call, name, cloud, before);
      const check = (known?: CloudDoc): void => {
        if (known) checkKept(call, after, known);
      };
      await call.store.change((tx) => transaction(tx.in(''), { cloud: after, check }), call.by);
      return {};
    }),
  };
}
