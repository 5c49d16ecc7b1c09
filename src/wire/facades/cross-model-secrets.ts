/**
 * Readings of secrets that are granted over relations, by a controller whose models consume offers
 * (secrets.md#over-offers). The caller logs in as anonymous: every reading brings the macaroons that allow it.
 */
import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf, mapOf } from './shared.ts';

/** A secret, and the unit that reads it. */
const reader = {
  uri: z.string(),
  /** Token of the unit's application. */
  'application-token': z.string(),
  /** Number of the unit. */
  'unit-id': z.int(),
};

export const crossModelSecrets = {
  name: 'CrossModelSecrets',
  versions: [1, 2],
  on: 'model',
  methods: {
    /** Tells by which relation, by its token, a unit may read a secret. */
    GetSecretAccessScope: {
      params: z.object({ args: z.array(z.object(reader)) }),
      result: z.strictObject({
        results: listOf(
          z.strictObject({ result: z.string().optional(), error: shared.wireError.optional() }),
        ),
      }),
    },
    /** Reads a secret: its newest revision with `peek` or `refresh`, else the one that the unit tracks. */
    GetSecretContentInfo: {
      params: z.object({
        args: z.array(
          z.object({
            ...reader,
            'source-controller-uuid': z.string().exactOptional(),
            revision: z.int().exactOptional(),
            peek: z.boolean().exactOptional(),
            refresh: z.boolean().exactOptional(),
            macaroons: z.unknown(),
            'bakery-version': z.int().exactOptional(),
          }),
        ),
      }),
      result: z.strictObject({
        results: listOf(
          z.strictObject({
            /** Values in base64 by key. */
            content: z.strictObject({ data: mapOf(z.string()) }).optional(),
            'latest-revision': z.int().optional(),
            error: shared.wireError.optional(),
          }),
        ),
      }),
    },
  },
} as const satisfies FacadeSpec;
