import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import { listOf } from './shared.ts';

const size = { live: z.int(), history: z.int() };

/** Report with sizes in bytes; a model of the name '' is the controller's own documents. */
export const storeReported = z.strictObject({
  /** Reason why nothing is stored now. */
  problem: z.string().optional(),
  database: z.strictObject({ bytes: z.int(), free: z.int() }),
  kinds: listOf(
    z.strictObject({ model: z.string(), kind: z.string(), count: z.int(), changes: z.int(), ...size }),
  ),
  /** Largest documents. */
  documents: listOf(z.strictObject({ model: z.string(), kind: z.string(), id: z.string(), ...size })),
  blobs: z.strictObject({ count: z.int(), bytes: z.int() }),
  logs: listOf(z.strictObject({ model: z.string(), bytes: z.int() })),
});
export type StoreReported = z.output<typeof storeReported>;

/** Extension of grigri: report of the controller's use of space. */
export const storeReport = {
  name: 'StoreReport',
  own: true,
  versions: [1],
  on: 'controller',
  methods: {
    Report: { params: z.object({}), result: storeReported },
  },
} as const satisfies FacadeSpec;
