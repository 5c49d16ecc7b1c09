import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import { listOf, tag } from './shared.ts';

export const payloads = {
  name: 'Payloads',
  versions: [1],
  on: 'model',
  methods: {
    List: {
      /** Texts of which one must be equal to a part of a payload (payloadFilter); none: all payloads. */
      params: z.object({ patterns: listOf(z.string()) }),
      result: z.strictObject({
        results: listOf(
          z.strictObject({
            class: z.string(),
            type: z.string(),
            id: z.string(),
            status: z.string(),
            labels: listOf(z.string()),
            unit: tag,
            /** Tag of the unit's machine. */
            machine: z.string(),
          }),
        ),
      }),
    },
  },
} as const satisfies FacadeSpec;
