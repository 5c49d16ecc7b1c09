import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf, mapOf } from './shared.ts';

export const annotations = {
  name: 'Annotations',
  versions: [2],
  on: 'model',
  methods: {
    Get: {
      params: shared.entities,
      result: z.strictObject({
        results: listOf(
          z.strictObject({
            entity: z.string(),
            annotations: mapOf(z.string()),
            /** ErrorResult, so that the error is one level deeper than elsewhere. */
            error: shared.errorResult.optional(),
          }),
        ),
      }),
    },
    Set: {
      params: z.object({
        annotations: z.array(
          z.object({
            entity: z.string(),
            /** Annotations to set; an empty value removes the key. */
            annotations: z.record(z.string(), z.string()),
          }),
        ),
      }),
      result: shared.errorResults,
    },
  },
} as const satisfies FacadeSpec;
