import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { mapOf } from './shared.ts';

export const modelConfig = {
  name: 'ModelConfig',
  versions: [3],
  on: 'both',
  methods: {
    GetModelConstraints: {
      params: shared.noParams,
      result: z.strictObject({ constraints: shared.constraintsResult }),
    },
    ModelGet: {
      params: shared.noParams,
      result: z.strictObject({
        config: mapOf(z.strictObject({ value: z.unknown(), source: z.string() })),
      }),
    },
    ModelSet: {
      params: z.object({ config: z.record(z.string(), z.unknown()) }),
      result: shared.noResult,
    },
    ModelUnset: { params: z.object({ keys: z.array(z.string()) }), result: shared.noResult },
    Sequences: {
      params: shared.noParams,
      result: z.strictObject({ sequences: mapOf(z.int()) }),
    },
    SetModelConstraints: {
      params: z.object({ application: z.string(), constraints: shared.constraints }),
      result: shared.noResult,
    },
  },
} as const satisfies FacadeSpec;
