import type { cloud as spec } from '../../../wire/facades/cloud.ts';
import { cloudTag } from '../../../wire/tags.ts';
import type { Call, ResultOf } from '../../facade.ts';
import { describeCloud } from './describe-cloud.ts';

export function clouds(call: Call): ResultOf<typeof spec, 'Clouds'> {
  const docs = [...call.read().in('').list('cloud')];
  return { clouds: Object.fromEntries(docs.map((doc) => [cloudTag(doc.name), describeCloud(call, doc)])) };
}
