import { z } from 'zod';

const text = z.string();

/** A cloud with its credential, all secrets in clear. */
export const cloudSpec = z.object({
  type: text,
  name: text,
  region: text.optional(),
  endpoint: text.optional(),
  'identity-endpoint': text.optional(),
  'storage-endpoint': text.optional(),
  credential: z.object({ 'auth-type': text, attrs: z.record(text, text) }).optional(),
  cacertificates: z.array(text).optional(),
  'skip-tls-verify': z.boolean().optional(),
  'is-controller-cloud': z.boolean().optional(),
});
export type CloudSpecRecord = z.output<typeof cloudSpec>;
