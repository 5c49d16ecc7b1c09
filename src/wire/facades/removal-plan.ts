/** Plan of a removal (core/removal/plan.ts) on the wire. */
import { z } from 'zod';
import { missing } from './requirements.ts';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

const group = z.strictObject({
  kind: z.enum(['application', 'instance', 'machine', 'model', 'offer', 'relation', 'storage', 'unit']),
  /** Reason for programs; core/removal/plan.ts lists them. */
  reason: z.string(),
  /** Reason for people. */
  why: z.string(),
  /** Names; a relation's is its key, `a:x b:y`, a model's its uuid. */
  names: listOf(z.string()),
});
export type PlannedGroup = z.output<typeof group>;

export const removalPlan = z.strictObject({
  /** Plans in the order of the params. */
  targets: listOf(
    z.strictObject({
      error: shared.wireError.optional(),
      /** True beside an error that --force would override. */
      'force-helps': z.boolean().optional(),
      /** Reasons that --force overrides. */
      'passed-over': listOf(z.string()).optional(),
      /** Entities that die, the target first; absent with an error. */
      dies: listOf(group).optional(),
    }),
  ),
  keeps: listOf(group),
  waits: listOf(group),
  /** Applications that then wait for requirements, or for others than now. */
  pending: listOf(z.strictObject({ application: z.string(), missing: listOf(missing) })).optional(),
});
export type PlannedRemoval = z.output<typeof removalPlan>;
