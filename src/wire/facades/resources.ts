import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf, mapOf } from './shared.ts';

const charmResource = {
  name: z.string(),
  type: z.string(),
  path: z.string(),
  description: z.string().optional(),
  origin: z.string(),
  revision: z.int(),
  /** SHA-384 in base64; null: no content yet. */
  fingerprint: z.string().nullable(),
  size: z.int(),
};
const resource = z.strictObject({
  ...charmResource,
  id: z.string(),
  'pending-id': z.string(),
  application: z.string(),
  username: z.string(),
  timestamp: shared.time,
});

export const resources = {
  name: 'Resources',
  versions: [3],
  on: 'model',
  methods: {
    AddPendingResources: {
      params: z.object({
        tag: z.string(),
        /** URL of the charm. */
        url: z.string(),
        'charm-origin': shared.charmOrigin.exactOptional(),
        macaroon: z.unknown().optional(),
        resources: z.array(
          z.object({
            ...charmResource,
            description: z.string().exactOptional(),
            fingerprint: z.string().nullable().exactOptional(),
          }),
        ),
      }),
      result: z.strictObject({ error: shared.wireError.optional(), 'pending-ids': listOf(z.string()) }),
    },
    ListResources: {
      params: shared.entities,
      result: z.strictObject({
        results: listOf(
          z.strictObject({
            error: shared.wireError.optional(),
            resources: listOf(resource),
            'charm-store-resources': listOf(z.strictObject(charmResource)),
            'unit-resources': listOf(
              z.strictObject({
                tag: shared.tag,
                resources: listOf(resource),
                'download-progress': mapOf(z.int()),
              }),
            ),
          }),
        ),
      }),
    },
  },
} as const satisfies FacadeSpec;
