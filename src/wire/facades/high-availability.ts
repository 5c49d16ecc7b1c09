import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

const machineTags = listOf(shared.tag).optional();

export const highAvailability = {
  name: 'HighAvailability',
  versions: [2],
  on: 'both',
  methods: {
    /**
     * Sets the number of controller machines (controller-settings.md#one-machine); 0 = as many as before, at least 3.
     */
    EnableHA: {
      params: z.object({
        specs: z.array(
          z.object({
            'num-controllers': z.int(),
            constraints: shared.constraints.exactOptional(),
            placement: z.array(z.string()).exactOptional(),
          }),
        ),
      }),
      result: z.strictObject({
        results: listOf(
          z.strictObject({
            result: z.strictObject({
              added: machineTags,
              maintained: machineTags,
              removed: machineTags,
              converted: machineTags,
            }),
            error: shared.wireError.optional(),
          }),
        ),
      }),
    },
  },
} as const satisfies FacadeSpec;
