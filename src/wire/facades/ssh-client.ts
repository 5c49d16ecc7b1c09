import { z } from 'zod';
import { notSupported, type FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

const error = shared.wireError.optional();
const address = z.strictObject({
  results: listOf(z.strictObject({ address: z.string().optional(), error })),
});

/** Addresses at which machines, and those of units, are reached by ssh, and the keys by which they are known. */
export const sshClient = {
  name: 'SSHClient',
  versions: [4],
  on: 'model',
  methods: {
    AllAddresses: {
      params: shared.entities,
      result: z.strictObject({
        results: listOf(z.strictObject({ addresses: listOf(z.string()), error })),
      }),
    },
    PrivateAddress: { params: shared.entities, result: address },
    /** True when clients are to connect through the controller's host. */
    Proxy: { params: shared.noParams, result: z.strictObject({ 'use-proxy': z.boolean() }) },
    PublicAddress: { params: shared.entities, result: address },
    /** Host keys as the machine's agent reported them. Errors: `not found` before it has reported any. */
    PublicKeys: {
      params: shared.entities,
      result: z.strictObject({
        results: listOf(z.strictObject({ 'public-keys': listOf(z.string()).optional(), error })),
      }),
    },
  },
  notServed: { ModelCredentialForSSH: notSupported('facade "SSHClient" for models of machines') },
} as const satisfies FacadeSpec;
