import { notFound } from '../../../core/errors.ts';
import type { cloud as spec } from '../../../wire/facades/cloud.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import { bulk } from '../shared/bulk.ts';
import { mayAddModelsOn } from '../shared/model-access.ts';
import { describeCloud } from './describe-cloud.ts';

export async function cloud(
  call: Call,
  params: ParamsOf<typeof spec, 'Cloud'>,
): Promise<ResultOf<typeof spec, 'Cloud'>> {
  return {
    results: await bulk(call, params.entities, ({ tag }) => {
      const name = parseTagOf('cloud', tag);
      const doc = call.read().in('').get('cloud', name);
      if (!doc || !mayAddModelsOn(call, name)) throw notFound('cloud', name);
      return { cloud: describeCloud(call, doc) };
    }),
  };
}
