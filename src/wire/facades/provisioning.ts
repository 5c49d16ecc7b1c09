import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';
import { strays } from './strays.ts';

/** Facade of grigri: facts about the cloud's machines, and repairs of machines (machines.md#retry). */
export const provisioning = {
  name: 'Provisioning',
  versions: [1],
  own: true,
  on: 'model',
  methods: {
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
