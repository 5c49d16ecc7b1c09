import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import { requirementsChange } from './requirements.ts';
import * as shared from './shared.ts';
import { mapOf } from './shared.ts';

/**
 * Extension of grigri: applications that wait now, or no more, after a change of `require-endpoints`; else `{}`, which
 * is Juju's answer.
 */
const changed = z.strictObject({ requirements: requirementsChange.optional() });

export const modelGet = {
  params: shared.noParams,
  result: z.strictObject({ config: mapOf(z.strictObject({ value: z.unknown(), source: z.string() })) }),
};

export const modelConfig = {
  name: 'ModelConfig',
  versions: [3],
  on: 'both',
  methods: {
    GetModelConstraints: {
      params: shared.noParams,
      result: z.strictObject({ constraints: shared.constraintsResult }),
    },
    ModelGet: modelGet,
    ModelSet: {
      params: z.object({ config: z.record(z.string(), z.unknown()) }),
      result: changed,
    },
    ModelUnset: { params: z.object({ keys: z.array(z.string()) }), result: changed },
    /** Support level; always `unsupported`: nobody sells support for this controller. */
    SLALevel: {
      params: shared.noParams,
      result: z.strictObject({ result: z.string(), error: shared.wireError.optional() }),
    },
    Sequences: {
      params: shared.noParams,
      result: z.strictObject({ sequences: mapOf(z.int()) }),
    },
    SetModelConstraints: {
      params: z.object({ application: z.string(), constraints: shared.constraints }),
      result: shared.noResult,
    },
    SetSLALevel: { params: z.object({ level: z.string(), owner: z.string() }), result: shared.noResult },
  },
} as const satisfies FacadeSpec;
