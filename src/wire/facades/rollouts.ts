import { z } from 'zod';
import { changedParts } from '../../core/application/refresh-changes.ts';
import type { FacadeSpec } from '../facade-spec.ts';
import { application } from './application.ts';
import { requirementsChange } from './requirements.ts';
import { rollout } from './rollout.ts';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

const named = z.object({ application: z.string() });
const setCharm = application.methods.SetCharm;

/** Rules of an upgrade batch by batch. */
const rolling = {
  /** Maximum of units upgraded at a time: `2` or `25%`; '' = 1. */
  'max-unavailable': z.string(),
  /** Condition for the next batch: `active`, or an expression about a unit; '' = active. */
  'wait-for': z.string(),
  'pause-after-canary': z.boolean(),
};

/**
 * Changes that a refresh or a rollback would make (core/application/refresh-changes.ts, core/rollout/plan-batches.ts).
 */
const plan = z.strictObject({
  application: z.string(),
  charm: z.string(),
  changes: listOf(
    z.strictObject({
      part: z.enum(changedParts),
      name: z.string(),
      from: z.string().optional(),
      to: z.string().optional(),
      note: z.string().optional(),
    }),
  ),
  /** Units that take the charm. `waits`: what keeps a unit from it, as a phrase about the unit. */
  units: listOf(z.strictObject({ name: z.string(), charm: z.string(), waits: z.string().optional() })),
  /** Storage that stays with its unit, of which the charm knows nothing. */
  storage: z.array(z.strictObject({ id: z.string(), unit: z.string() })).exactOptional(),
  rollout: z
    .strictObject({
      kind: rollout.shape.kind,
      'max-unavailable': z.string(),
      'wait-for': z.string(),
      /** Batches in their order. `pauses`: the roll-out pauses after the batch, until --resume. */
      batches: listOf(z.strictObject({ units: z.array(z.string()), pauses: z.boolean() })),
    })
    .optional(),
  requirements: requirementsChange.optional(),
});

/** Extension of grigri: refreshes that upgrade units batch by batch (refresh.md#rolling). */
export const rollouts = {
  name: 'Rollouts',
  versions: [1],
  own: true,
  on: 'model',
  methods: {
    /** As Application.SetCharm, but that units take the charm when they are released. */
    Begin: {
      params: setCharm.params.extend(rolling),
      result: setCharm.result,
    },
    /** Plans the changes that Application.SetCharm, or Begin with `rolling`, would make. */
    Plan: {
      params: setCharm.params.omit({ 'resource-ids': true }).extend({
        /** Files that describe a charm that the model lacks, as parsed YAML by name; in place of `charm-url`. */
        'charm-files': z.record(z.string(), z.unknown()).exactOptional(),
        /** Number in the `revision` file of that charm; 0 without that file. */
        revision: z.int().exactOptional(),
        /** Contents that would be sent. `fingerprint`: SHA-384 in hex. */
        resources: z.record(z.string(), z.object({ fingerprint: z.string(), size: z.int() })).exactOptional(),
        rolling: z.object(rolling).exactOptional(),
      }),
      result: plan,
    },
    /** Plans the changes that Rollback would make. */
    PlanRollback: { params: named, result: plan },
    Resume: { params: named, result: shared.noResult },
    Abort: { params: named, result: shared.noResult },
    Rollback: { params: named, result: z.strictObject({ requirements: requirementsChange.optional() }) },
    /** Returns the state of the roll-out; without one only the application's charm. */
    Get: {
      params: named,
      result: z.strictObject({ charm: z.string(), rollout: rollout.optional() }),
    },
  },
} as const satisfies FacadeSpec;

export type RefreshPlan = z.output<typeof plan>;
