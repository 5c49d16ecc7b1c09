import { z } from 'zod';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

/** Instances with the model's tags that no machine has, and what becomes of such. */
export const strays = z.strictObject({
  /** The model's provisioner-harvest-mode. */
  'harvest-mode': z.enum(['none', 'unknown', 'destroyed', 'all']),
  instances: listOf(
    z.strictObject({
      'instance-id': z.string(),
      /** The machine that it was made for; '' when its tags do not say. */
      machine: z.string(),
      /** When it was first seen. */
      since: shared.time,
      /** It is to be stopped. */
      stopping: z.boolean(),
    }),
  ),
});
