import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import { explained, removals } from './explanation.ts';
import { historyParams, historyResult, statusAtParams, statusAtResult } from './history.ts';
import { removalPlan } from './removal-plan.ts';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

/** Ours alone, no Juju has it: what blocks an entity, what a removal would do, what has changed. */
export const lives = {
  name: 'Lives',
  versions: [1],
  own: true,
  on: 'both',
  methods: {
    /** Why an entity is as it is. `names` as a user types them, none = the model; see core/explain/find-entity.ts. */
    Explain: { params: z.object({ names: z.array(z.string()) }), result: explained },
    /** What a user has of what is limited: for itself, or a superuser. */
    ExplainUser: { params: z.object({ tag: z.string() }), result: explained },
    /** What has changed: who asked for it, and what it did. */
    History: { params: historyParams, result: historyResult },
    /**
     * What destroy-controller would come to: `error` refuses it, `models` are the hosted ones, `controller-model` is what
     * users have in the controller's own (older controllers do not tell). Nobody waits for that, so its `waits` is empty.
     */
    PlanControllerRemoval: {
      params: z.object({
        'destroy-models': z.boolean(),
        'destroy-storage': z.boolean().exactOptional(),
        force: z.boolean().exactOptional(),
      }),
      result: z.strictObject({
        error: shared.wireError.optional(),
        models: listOf(z.strictObject({ name: z.string(), plan: removalPlan })),
        'controller-model': removalPlan.optional(),
      }),
    },
    PlanModelRemoval: {
      params: z.object({
        models: z.array(
          z.object({
            'model-tag': z.string(),
            'destroy-storage': z.boolean().exactOptional(),
            force: z.boolean().exactOptional(),
          }),
        ),
      }),
      result: z.strictObject({
        results: listOf(z.strictObject({ error: shared.wireError.optional(), plan: removalPlan.optional() })),
      }),
    },
    /** What removing these, one after the other, would come to; nothing is changed. */
    PlanRemoval: {
      params: z.object({
        targets: z.array(
          z.object({
            /** Of an application, machine or unit. */
            tag: z.string().exactOptional(),
            /** A relation, by its two ends or by its id. */
            endpoints: z.array(z.string()).exactOptional(),
            'relation-id': z.int().exactOptional(),
          }),
        ),
        force: z.boolean().exactOptional(),
        keep: z.boolean().exactOptional(),
        'destroy-storage': z.boolean().exactOptional(),
      }),
      result: removalPlan,
    },
    /** What is not released yet: forced removals that are not done, dead machines that have an instance. */
    Removals: { params: shared.noParams, result: removals },
    /** Client.FullStatus of the past. */
    StatusAt: { params: statusAtParams, result: statusAtResult },
  },
} as const satisfies FacadeSpec;
