/** What a removal comes to (core/removal/plan.ts), on the wire. */
import { z } from 'zod';
import { missing } from './requirements.ts';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

const group = z.strictObject({
  kind: z.enum(['application', 'instance', 'machine', 'model', 'offer', 'relation', 'storage', 'unit']),
  /** For programs; core/removal/plan.ts lists them. */
  reason: z.string(),
  /** For people. */
  why: z.string(),
  /** A relation's is its key, `a:x b:y`; a model's its uuid. */
  names: listOf(z.string()),
});
export type PlannedGroup = z.output<typeof group>;

export const removalPlan = z.strictObject({
  /** In the order of the params. */
  targets: listOf(
    z.strictObject({
      error: shared.wireError.optional(),
      /** With the error: --force would be accepted. */
      'force-helps': z.boolean().optional(),
      /** What --force does not care for. */
      'passed-over': listOf(z.string()).optional(),
      /** The target first; absent with an error. */
      dies: listOf(group).optional(),
    }),
  ),
  keeps: listOf(group),
  waits: listOf(group),
  /** What then waits for requirements, or for others than now. */
  pending: listOf(z.strictObject({ application: z.string(), missing: listOf(missing) })).optional(),
});
export type PlannedRemoval = z.output<typeof removalPlan>;
