import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';

export const backups = {
  name: 'Backups',
  versions: [3],
  on: 'model',
  methods: {
    /**
     * Makes a backup of the controller (backups.md#backup-archive), which is downloaded by HTTP or stays where it is.
     */
    Create: {
      params: z.object({
        notes: z.string(),
        /**
         * Whether the archive stays. Every archive stays until a client downloads and removes it, so this changes
         * nothing.
         */
        'no-download': z.boolean(),
        /** Whom the archive is sealed for (kit/sealed/recipient.ts); absent = it is not. */
        recipient: z
          .object({
            /** Raw X25519 key in base64. */
            publicKey: z.string(),
            wrapped: z
              .object({
                N: z.int().positive(),
                r: z.int().positive(),
                p: z.int().positive(),
                salt: z.string(),
                box: z.string(),
              })
              .exactOptional(),
          })
          .exactOptional(),
        /** Whether the controller's logs are in it, too. */
        logs: z.boolean().exactOptional(),
      }),
      result: z.strictObject({
        id: z.string(),
        /** SHA-1 in base64, as `checksum-format` says. */
        checksum: z.string(),
        'checksum-format': z.string(),
        /** Bytes of the archive. */
        size: z.int().nonnegative(),
        stored: shared.time,
        started: shared.time,
        finished: shared.time,
        notes: z.string(),
        model: z.string(),
        machine: z.string(),
        hostname: z.string(),
        version: shared.version,
        base: z.string(),
        /** Path of the archive on the controller's host. */
        filename: z.string(),
        'format-version': z.int(),
        'controller-uuid': z.string(),
        'controller-machine-id': z.string(),
        'controller-machine-inst-id': z.string(),
        'ha-nodes': z.int(),
      }),
    },
  },
} as const satisfies FacadeSpec;
