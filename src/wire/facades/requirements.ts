import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

/** Why a requirement is not satisfied (core/requirements/requirement.ts Missing). */
export const missing = z.strictObject({
  endpoint: z.string(),
  interface: z.string(),
  /** Related applications that are pending themselves, a few of them; none: it is not related. */
  applications: listOf(z.string()),
});

const waits = {
  since: shared.time,
  missing: listOf(missing),
  /** Units that wait, subordinates among them. */
  units: z.int(),
  /** Units that run all the same: what they required went away later. */
  running: z.int(),
};

/** Beside what else is told of an application. */
export const pending = z.strictObject(waits);
export const pendingApplication = z.strictObject({ application: z.string(), ...waits });

/**
 * What a change came to: it is in the answers of Application's Deploy, AddUnits, AddRelation, DestroyRelation and
 * DestroyApplication as `requirements`, where there is something to tell. Juju's clients pass it over.
 */
export const requirementsChange = z.strictObject({
  /** Became deployable, each after those that it requires. */
  deployable: listOf(z.string()),
  /** Of these, those whose units all run already: their requirements went away, and are met again. */
  running: listOf(z.string()),
  /** Of these, those that require each other: deployed together. */
  circles: listOf(listOf(z.string())),
  /** What the change concerned and still, or now, waits: at most 100 of them. */
  pending: listOf(pendingApplication),
});

export type PendingApplication = z.output<typeof pendingApplication>;
export type RequirementsChange = z.output<typeof requirementsChange>;

/** Ours alone: what waits until its required relations exist. */
export const requirements = {
  name: 'Requirements',
  versions: [1],
  own: true,
  on: 'model',
  methods: {
    /** Every application that waits, by name; at most 1000, `total` counts all. */
    Pending: {
      params: shared.noParams,
      result: z.strictObject({
        now: shared.time,
        applications: listOf(pendingApplication),
        total: z.int(),
      }),
    },
    /** What requires what: for a client that wants to know beforehand what a bundle would leave waiting. */
    Graph: {
      params: shared.noParams,
      result: z.strictObject({
        /** The model's `require-endpoints`. */
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
                /** Not told of while one of these is missing. */
                'implied-by': listOf(z.string()).exactOptional(),
              }),
            ),
            /** As it is now; absent: nothing is missing. */
            missing: listOf(missing).exactOptional(),
          }),
        ),
      }),
    },
  },
} as const satisfies FacadeSpec;
