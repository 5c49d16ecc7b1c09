import { z } from 'zod';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

/** A roll-out as status shows it, beside the application's other facts (core/rollout/rollout.ts). */
export const rollout = z.strictObject({
  kind: z.enum(['refresh', 'rollback']),
  state: z.enum(['rolling', 'paused', 'stopped', 'aborted']),
  /** URL of the charm that units leave, and that they take. */
  from: z.string(),
  to: z.string(),
  /** Names of resources whose contents units take, of a charm that stays the same. */
  resources: z.array(z.string()).optional(),
  batch: z.int(),
  /** Units of the current batch, at most 20 of them. */
  units: listOf(z.string()),
  /** Number of units that have the charm, and of all. */
  upgraded: z.int(),
  total: z.int(),
  'max-unavailable': z.string(),
  'wait-for': z.string(),
  /** Reason why the roll-out waits, or was stopped; '' = nothing. */
  message: z.string(),
  since: shared.time,
});

export type ShownRollout = z.output<typeof rollout>;
