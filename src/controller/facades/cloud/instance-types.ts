import { notFound } from '../../../core/errors.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { cloud as spec } from '../../../wire/facades/cloud.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { noInstanceTypes } from '../shared/instance-types.ts';
import { mayAddModelsOn } from '../shared/model-access.ts';
import { checkRegion } from '../shared/region.ts';

export function instanceTypes(
  call: Call,
  { constraints }: ParamsOf<typeof spec, 'InstanceTypes'>,
): Promise<ResultOf<typeof spec, 'InstanceTypes'>> {
  return noInstanceTypes(call, constraints, ({ 'cloud-tag': tag, region }) => {
    const name = parseTagOf('cloud', tag);
    const cloud = call.read().in('').get('cloud', name);
    if (!cloud || !mayAddModelsOn(call, name)) throw notFound('cloud', name);
    if (region !== '') checkRegion(cloud, region);
  });
}
