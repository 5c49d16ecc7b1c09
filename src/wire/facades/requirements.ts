import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

/** Reason why a requirement is not satisfied (core/requirements/requirement.ts Missing). */
export const missing = z.strictObject({
  endpoint: z.string(),
  interface: z.string(),
  /** Text that is shown in place of endpoint and interface, where any of several endpoints will do. */
  shown: z.string().exactOptional(),
  /** Related applications that are pending themselves, a few of them; empty when the endpoint is not related. */
  applications: listOf(z.string()),
  /** Set for a closed gate: the health that the application must have; endpoint and interface are ''. */
  health: z.string().exactOptional(),
});

const waits = {
  since: shared.time,
  missing: listOf(missing),
  /** Number of waiting units, subordinates among them. */
  units: z.int(),
  /** Number of units that run although their requirements went away later. */
  running: z.int(),
};

/** Members beside the other facts about an application. */
export const pending = z.strictObject(waits);
export const pendingApplication = z.strictObject({ application: z.string(), ...waits });

/**
 * Result of a change for requirements: it is in the answers of Application's Deploy, AddUnits, AddRelation,
 * DestroyRelation and DestroyApplication as `requirements`, unless it is empty. Juju's clients ignore it.
 */
export const requirementsChange = z.strictObject({
  /** Applications that became deployable, each after those that it requires. */
  deployable: listOf(z.string()),
  /** Deployable applications whose units all run already: their requirements went away, and are met again. */
  running: listOf(z.string()),
  /** Deployable applications that require each other, and are deployed together. */
  circles: listOf(listOf(z.string())),
  /** Applications that the change concerned and that still, or now, wait: at most 100 of them. */
  pending: listOf(pendingApplication),
});

export type PendingApplication = z.output<typeof pendingApplication>;
export type RequirementsChange = z.output<typeof requirementsChange>;

/** Extension of grigri: applications that wait for required relations, and for the health of others. */
export const requirements = {
  name: 'Requirements',
  versions: [1],
  own: true,
  on: 'model',
  methods: {
    /** Returns every application that waits, by name; at most 1000, `total` counts all. */
    Pending: {
      params: shared.noParams,
      result: z.strictObject({
        now: shared.time,
        applications: listOf(pendingApplication),
        total: z.int(),
      }),
    },
    /**
     * Replaces what an application comes after: application → the health that it must have first, '' being `active`.
     * Gates that are open stay so.
     */
    SetAfter: {
      params: z.object({ application: z.string(), after: z.record(z.string(), z.string()) }),
      result: z.strictObject({ requirements: requirementsChange.optional() }),
    },
    /** Returns the graph of requirements, for a client that computes beforehand what a bundle would leave waiting. */
    Graph: {
      params: shared.noParams,
      result: z.strictObject({
        /** Value of the model's `require-endpoints`. */
        mode: z.string(),
        applications: listOf(
          z.strictObject({
            application: z.string(),
            subordinate: z.boolean(),
            requirements: listOf(
              z.strictObject({
                endpoint: z.string(),
                interface: z.string(),
                'any-principal': z.boolean().exactOptional(),
                shown: z.string().exactOptional(),
                /** Endpoints that imply this one, which is not shown while one of them is missing. */
                'implied-by': listOf(z.string()).exactOptional(),
                /** Set for a closed gate, which no relation opens; endpoint and interface are ''. */
                gate: z.strictObject({ application: z.string(), health: z.string() }).exactOptional(),
              }),
            ),
            /** Requirements that are missing now; absent: none. */
            missing: listOf(missing).exactOptional(),
          }),
        ),
      }),
    },
  },
} as const satisfies FacadeSpec;
