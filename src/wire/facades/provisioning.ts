import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';
import { strays } from './strays.ts';

/** A facade of our own: what machines are made of, and their way out of trouble (machines.md#retry). */
export const provisioning = {
  name: 'Provisioning',
  versions: [1],
  own: true,
  on: 'model',
  methods: {
    /** The bases that the model's cloud really has; `known` is false where it does not say. */
    Bases: {
      params: shared.noParams,
      result: z.strictObject({ known: z.boolean(), bases: listOf(shared.base) }),
    },
    /**
     * What the model's cloud makes of constraints, and of `machines` that would have them, before anything is made.
     * Errors: `not valid` for what it refuses.
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
    /** Another instance for each of them, whose own is lost; with `force` because the caller says that it is. */
    ReprovisionMachines: {
      params: z.object({
        /** Tags. */
        machines: z.array(z.string()),
        force: z.boolean().exactOptional(),
      }),
      result: shared.errorResults,
    },
    /**
     * Machines whose start failed for good are tried again: those named, or all. `constraints`, when given, replace
     * those of each machine, once the cloud has no objection; an objection refuses the whole request.
     */
    RetryMachines: {
      params: z.object({
        /** Tags. */
        machines: z.array(z.string()).exactOptional(),
        all: z.boolean(),
        constraints: shared.constraints.exactOptional(),
      }),
      result: z.strictObject({
        /** One for each machine named, in their order, or for each one found. */
        results: listOf(z.strictObject({ machine: z.string(), error: shared.wireError.optional() })),
      }),
    },
    /** Instances with the model's tags that no machine has. */
    Strays: { params: shared.noParams, result: strays },
  },
} as const satisfies FacadeSpec;
