import { z } from 'zod';
import { notYet, type FacadeSpec } from '../facade-spec.ts';
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
  notServed: {
    AddPendingResources: notYet('uploading resources'),
  },
  methods: {
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
