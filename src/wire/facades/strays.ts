import { z } from 'zod';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

/** Instances with the model's tags that no machine has, and the mode that decides about them. */
export const strays = z.strictObject({
  /** Value of the model's provisioner-harvest-mode. */
  'harvest-mode': z.enum(['none', 'unknown', 'destroyed', 'all']),
  instances: listOf(
    z.strictObject({
      'instance-id': z.string(),
      /** Machine that the instance was created for; '' when its tags do not say. */
      machine: z.string(),
      /** Time at which the instance was first seen. */
      since: shared.time,
      /** True when the instance is to be stopped. */
      stopping: z.boolean(),
    }),
  ),
});
