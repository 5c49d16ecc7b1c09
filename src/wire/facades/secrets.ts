import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import { errorResults, listOf, mapOf, tag, time, wireError } from './shared.ts';

const text = z.string();
/** Members of a secret that a request sets; the value is key → base64. */
const upsert = {
  content: z
    .object({
      checksum: text.exactOptional(),
      data: z.record(text, text).exactOptional(),
      'value-ref': z.object({ 'backend-id': text, 'revision-id': text }).exactOptional(),
    })
    .exactOptional(),
  description: text.exactOptional(),
  'expire-time': text.exactOptional(),
  label: text.exactOptional(),
  params: z.record(text, z.unknown()).exactOptional(),
  'rotate-policy': text.exactOptional(),
};
const named = { uri: text, label: text };
const grant = z.object({ ...named, applications: z.array(text) });

export const secrets = {
  name: 'Secrets',
  versions: [1, 2],
  on: 'model',
  methods: {
    /** Lists charms' and users' secrets; `show-secrets`, for the model's admins, with their values. */
    ListSecrets: {
      params: z.object({
        'show-secrets': z.boolean(),
        filter: z.object({
          uri: text.exactOptional(),
          label: text.exactOptional(),
          revision: z.number().exactOptional(),
          'owner-tag': text.exactOptional(),
        }),
      }),
      result: z.strictObject({
        results: listOf(
          z.strictObject({
            uri: text,
            version: z.number(),
            'owner-tag': tag,
            'rotate-policy': text.optional(),
            'next-rotate-time': time.optional(),
            description: text.optional(),
            label: text.optional(),
            'latest-revision': z.number(),
            'latest-revision-checksum': text,
            'latest-expire-time': time.optional(),
            'create-time': time,
            'update-time': time,
            revisions: listOf(
              z.strictObject({
                revision: z.number(),
                'create-time': time,
                'update-time': time,
                'expire-time': time.optional(),
                'backend-name': text,
              }),
            ),
            value: z.strictObject({ data: mapOf(text).optional(), error: wireError.optional() }).optional(),
            access: listOf(z.strictObject({ 'target-tag': tag, 'scope-tag': tag, role: text })),
          }),
        ),
      }),
    },
    CreateSecrets: {
      since: 2,
      params: z.object({
        args: z.array(z.object({ ...upsert, 'owner-tag': text, uri: text.exactOptional() })),
      }),
      result: z.strictObject({
        results: listOf(z.strictObject({ result: text, error: wireError.optional() })),
      }),
    },
    UpdateSecrets: {
      since: 2,
      params: z.object({
        args: z.array(
          z.object({
            ...upsert,
            uri: text,
            'existing-label': text,
            'auto-prune': z.boolean().exactOptional(),
          }),
        ),
      }),
      result: errorResults,
    },
    /** Removes revisions of secrets; without revisions, the whole secret. */
    RemoveSecrets: {
      since: 2,
      params: z.object({
        args: z.array(z.object({ ...named, revisions: z.array(z.number()).exactOptional() })),
      }),
      result: errorResults,
    },
    GrantSecret: { since: 2, params: grant, result: errorResults },
    RevokeSecret: { since: 2, params: grant, result: errorResults },
  },
} as const satisfies FacadeSpec;
