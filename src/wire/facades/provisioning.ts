import { z } from 'zod';
import { restoreKinds } from '../../core/restore/plan-restore.ts';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';
import { strays } from './strays.ts';

/** Where units go on: where their agents are, or where the backup has them. */
const hooks = z.enum(['keep', 'rerun']);

/** Facade of grigri: facts about the cloud's machines, and repairs of machines (machines.md#retry). */
export const provisioning = {
  name: 'Provisioning',
  versions: [1],
  own: true,
  on: 'model',
  methods: {
    /**
     * Ends the wait of a restored model: what is newer than its backup goes the way that RestorePlan tells. `restore`:
     * the restore whose plan the caller has seen. Errors: '' for another one.
     */
    AcceptRestore: { params: z.object({ restore: z.string(), hooks }), result: shared.noResult },
    /** Returns the bases that the model's cloud really has; `known` is false where it does not say. */
    Bases: {
      params: shared.noParams,
      result: z.strictObject({ known: z.boolean(), bases: listOf(shared.base) }),
    },
    /**
     * Checks constraints with the model's cloud, and `machines` that would have them, before anything is created.
     * Errors: `not valid` for what the cloud refuses.
     */
    CheckConstraints: {
      params: z.object({
        constraints: shared.constraints,
        machines: z
          .object({ base: shared.base, placement: z.array(shared.placement), count: z.number() })
          .exactOptional(),
      }),
      result: z.strictObject({ warnings: listOf(z.string()) }),
    },
    /** Replaces the lost instances of machines; `force` declares them lost. */
    ReprovisionMachines: {
      params: z.object({
        /** Tags of the machines. */
        machines: z.array(z.string()),
        force: z.boolean().exactOptional(),
      }),
      result: shared.errorResults,
    },
    /** Tells what is newer than the backup of a restored model, and what becomes of it (backups.md#after-a-restore). */
    RestorePlan: {
      params: z.object({ hooks }),
      result: z.strictObject({
        /** The last restore; absent = there was none. `state`: `held` until an operator accepts it. */
        restored: z
          .strictObject({
            id: z.string(),
            backup: shared.time,
            at: shared.time,
            state: z.enum(['held', 'keep', 'rerun']),
          })
          .optional(),
        differences: listOf(
          z.strictObject({
            kind: z.enum(restoreKinds),
            name: z.string(),
            text: z.string(),
            outcome: z.string(),
          }),
        ),
        /** Number of differences that are not listed. */
        more: z.int().nonnegative(),
      }),
    },
    /**
     * Tries machines again whose start failed for good: those named, or all. `constraints`, when given, replace those
     * of each machine, once the cloud has accepted them; a refusal refuses the whole request.
     */
    RetryMachines: {
      params: z.object({
        /** Tags of the machines. */
        machines: z.array(z.string()).exactOptional(),
        all: z.boolean(),
        constraints: shared.constraints.exactOptional(),
      }),
      result: z.strictObject({
        /** Results for the machines named, in their order, or for those found. */
        results: listOf(z.strictObject({ machine: z.string(), error: shared.wireError.optional() })),
      }),
    },
    /** Returns instances with the model's tags that no machine has. */
    Strays: { params: shared.noParams, result: strays },
  },
} as const satisfies FacadeSpec;
