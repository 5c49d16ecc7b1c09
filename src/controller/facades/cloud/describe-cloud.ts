import type { z } from 'zod';
import type { CloudDoc } from '../../../core/entities.ts';
import type { cloudDetails } from '../../../wire/facades/cloud.ts';
import type { Call } from '../../facade.ts';

export function describeCloud(call: Call, cloud: CloudDoc): z.input<typeof cloudDetails> {
  const isControllers = call.read().in('').get('controller', 'self')?.cloud === cloud.name;
  return {
    type: cloud.type,
    'auth-types': cloud.authTypes,
    ...(cloud.endpoint === '' ? {} : { endpoint: cloud.endpoint }),
    ...(cloud.regions.length > 0 ? { regions: cloud.regions } : {}),
    ...(isControllers ? { 'is-controller-cloud': true } : {}),
  };
}
