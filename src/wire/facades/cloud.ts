import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf, mapOf } from './shared.ts';

export const cloudDetails = z.strictObject({
  type: z.string(),
  'auth-types': listOf(z.string()).optional(),
  endpoint: z.string().optional(),
  regions: listOf(z.strictObject({ name: z.string(), endpoint: z.string().optional() })).optional(),
  config: mapOf(z.unknown()).optional(),
  'is-controller-cloud': z.boolean().optional(),
});

const credential = z.object({
  'auth-type': z.string(),
  attrs: z.record(z.string(), z.string()).exactOptional(),
});

export const cloud = {
  name: 'Cloud',
  versions: [7],
  on: 'controller',
  methods: {
    Cloud: {
      params: shared.entities,
      result: z.strictObject({
        results: listOf(
          z.strictObject({ cloud: cloudDetails.optional(), error: shared.wireError.optional() }),
        ),
      }),
    },
    /** By tag: `cloud-aws`. */
    Clouds: { params: shared.noParams, result: z.strictObject({ clouds: mapOf(cloudDetails) }) },
    Credential: {
      params: shared.entities,
      result: z.strictObject({
        results: listOf(
          z.strictObject({
            result: z
              .strictObject({
                'auth-type': z.string(),
                attrs: mapOf(z.string()).optional(),
                redacted: listOf(z.string()).optional(),
              })
              .optional(),
            error: shared.wireError.optional(),
          }),
        ),
      }),
    },
    UpdateCredentialsCheckModels: {
      params: z.object({
        credentials: z.array(z.object({ tag: z.string(), credential })),
        force: z.boolean(),
      }),
      result: z.strictObject({
        results: listOf(
          z.strictObject({
            tag: z.string(),
            models: listOf(z.strictObject({ uuid: z.string(), name: z.string() })).optional(),
            error: shared.wireError.optional(),
          }),
        ),
      }),
    },
    UserCredentials: {
      params: z.object({
        'user-clouds': z.array(z.object({ 'user-tag': z.string(), 'cloud-tag': z.string() })),
      }),
      result: z.strictObject({ results: listOf(shared.stringsResult) }),
    },
  },
} as const satisfies FacadeSpec;
