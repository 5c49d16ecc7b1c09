import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';

export const credentialManager = {
  name: 'CredentialManager',
  versions: [1],
  on: 'model',
  methods: {
    /** Marks the credential of the model as refused by its cloud: no machine is started with it until it is updated. */
    InvalidateModelCredential: {
      params: z.object({ reason: z.string().exactOptional() }),
      result: shared.errorResult,
    },
  },
} as const satisfies FacadeSpec;
