import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

/** Keys belong to the model: the user that a request names is passed over. */
const ofUser = z.object({ user: z.string(), 'ssh-keys': z.array(z.string()) });

export const keyManager = {
  name: 'KeyManager',
  versions: [1],
  on: 'model',
  methods: {
    AddKeys: { params: ofUser, result: shared.errorResults },
    /** Deletes keys by fingerprint or comment. Errors: '' when none would be left. */
    DeleteKeys: { params: ofUser, result: shared.errorResults },
    /** `ssh-keys`: names at services that publish keys, `lp:me` or `gh:me`. */
    ImportKeys: { params: ofUser, result: shared.errorResults },
    ListKeys: {
      /** Mode true: whole keys; false: fingerprints and comments. */
      params: z.object({ entities: shared.entities, mode: z.boolean() }),
      result: z.strictObject({
        results: listOf(
          z.strictObject({
            result: listOf(z.string()).optional(),
            error: shared.wireError.optional(),
          }),
        ),
      }),
    },
  },
} as const satisfies FacadeSpec;
