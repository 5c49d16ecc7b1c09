import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import { explained, removals } from './explanation.ts';
import { historyParams, historyResult, statusAtParams, statusAtResult } from './history.ts';
import { removalPlan } from './removal-plan.ts';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

/** Extension of grigri: blockers of an entity, plans of removals, and the history. */
export const lives = {
  name: 'Lives',
  versions: [1],
  own: true,
  on: 'both',
  methods: {
    /**
     * Explains the state of an entity. `names` as a user types them, none = the model; see core/explain/find-entity.ts.
     */
    Explain: { params: z.object({ names: z.array(z.string()) }), result: explained },
    /** Explains a user's use of limits, to that user or to a superuser. */
    ExplainUser: { params: z.object({ tag: z.string() }), result: explained },
    /** Returns the history of changes with their requesters. */
    History: { params: historyParams, result: historyResult },
    /**
     * Plans destroy-controller: `error` refuses it, `models` are the hosted ones, `controller-model` is what users have
     * in the controller's own model (older controllers omit it). The removal does not wait for the latter, so its
     * `waits` is empty.
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
    /** Plans the removal of the targets, one after the other; nothing is changed. */
    PlanRemoval: {
      params: z.object({
        targets: z.array(
          z.object({
            /** Tag of an application, machine or unit. */
            tag: z.string().exactOptional(),
            /** Relation, by its two endpoints or by its id. */
            endpoints: z.array(z.string()).exactOptional(),
            'relation-id': z.int().exactOptional(),
            /** True of a machine that is removed only when what earlier targets remove is gone from it. */
            'once-empty': z.boolean().exactOptional(),
          }),
        ),
        force: z.boolean().exactOptional(),
        keep: z.boolean().exactOptional(),
        'destroy-storage': z.boolean().exactOptional(),
      }),
      result: removalPlan,
    },
    /** Removals that are not finished: forced removals, and dead machines that have an instance. */
    Removals: { params: shared.noParams, result: removals },
    /** Client.FullStatus of the past. */
    StatusAt: { params: statusAtParams, result: statusAtResult },
  },
} as const satisfies FacadeSpec;
