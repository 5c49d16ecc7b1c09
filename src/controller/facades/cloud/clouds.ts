import type { cloud as spec } from '../../../wire/facades/cloud.ts';
import { cloudTag } from '../../../wire/tags.ts';
import type { Call, ResultOf } from '../../facade.ts';
import { mayAddModelsOn } from '../shared/model-access.ts';
import { describeCloud } from './describe-cloud.ts';

/**
 * Lists the clouds that the caller may add models on, the controller's own first: clients without a cloud take the
 * first one.
 */
export function clouds(call: Call): ResultOf<typeof spec, 'Clouds'> {
  const root = call.read().in('');
  const controllerCloud = root.get('controller', 'self')?.cloud;
  const docs = [...root.list('cloud')]
    .filter(({ name }) => mayAddModelsOn(call, name))
    .sort((a, b) => Number(b.name === controllerCloud) - Number(a.name === controllerCloud));
  return { clouds: Object.fromEntries(docs.map((doc) => [cloudTag(doc.name), describeCloud(call, doc)])) };
}
