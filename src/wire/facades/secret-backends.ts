import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import { errorResults, listOf, mapOf, wireError } from './shared.ts';

const text = z.string();
const config = z.record(text, z.unknown());
/** Interval in nanoseconds, as Go's durations are sent. */
const interval = z.number().nullable().exactOptional();

/** Facts about a backend, without its secrets. */
export const secretBackendResult = z.strictObject({
  result: z.strictObject({
    name: text,
    'backend-type': text,
    'token-rotate-interval': z.number().optional(),
    config: mapOf(z.unknown()),
  }),
  id: text,
  'num-secrets': z.number(),
  status: text,
  message: text.optional(),
  error: wireError.optional(),
});

export const secretBackends = {
  name: 'SecretBackends',
  versions: [1],
  on: 'controller',
  methods: {
    AddSecretBackends: {
      params: z.object({
        args: z.array(
          z.object({
            id: text.exactOptional(),
            name: text,
            'backend-type': text,
            'token-rotate-interval': interval,
            config: config.nullable().exactOptional(),
          }),
        ),
      }),
      result: errorResults,
    },
    /** Lists backends; without names all of them, with the controller's own. */
    ListSecretBackends: {
      params: z.object({
        names: z.array(text).nullable().exactOptional(),
        reveal: z.boolean().exactOptional(),
      }),
      result: z.strictObject({ results: listOf(secretBackendResult) }),
    },
    /** Removes backends; without `force`, one that has contents, or that a model has chosen, is kept. */
    RemoveSecretBackends: {
      params: z.object({ args: z.array(z.object({ name: text, force: z.boolean().exactOptional() })) }),
      result: errorResults,
    },
    UpdateSecretBackends: {
      params: z.object({
        args: z.array(
          z.object({
            name: text,
            'name-change': text.nullable().exactOptional(),
            'token-rotate-interval': interval,
            config: config.nullable().exactOptional(),
            reset: z.array(text).nullable().exactOptional(),
            force: z.boolean().exactOptional(),
          }),
        ),
      }),
      result: errorResults,
    },
  },
} as const satisfies FacadeSpec;
