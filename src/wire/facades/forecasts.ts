import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import { explained } from './explanation.ts';
import { listOf, time } from './shared.ts';

const counts = z.strictObject({ all: z.int().nonnegative(), well: z.int().nonnegative() });

/** Number of durations of each kind that the model's history shows; 0 = usual ones are assumed. */
const durations = z.strictObject({
  /** Kinds of hooks, of one application each, and their runs. */
  hooks: z.int().nonnegative(),
  runs: z.int().nonnegative(),
  /** Starts and boots of machines, and of containers. */
  starts: z.int().nonnegative(),
  boots: z.int().nonnegative(),
  'container-starts': z.int().nonnegative(),
  'container-boots': z.int().nonnegative(),
});

/** A model file as its client has read it (core/forecast/file.ts says what its members are). */
const file = z.object({
  name: z.string(),
  text: z.string(),
  charms: z.array(
    z.object({
      path: z.string(),
      files: z.record(z.string(), z.unknown()),
      revision: z.int().nonnegative(),
      hashes: z.record(z.string(), z.string()),
    }),
  ),
  resources: z.array(
    z.object({
      name: z.string(),
      value: z.string(),
      bytes: z.int().nonnegative(),
      fingerprint: z.string(),
    }),
  ),
  prune: z.boolean(),
  force: z.boolean(),
  replace: z.array(z.string()),
  'map-machines': z.string(),
});

/** Extension of grigri: what would become of a model (forecasts.md). */
export const forecasts = {
  name: 'Forecasts',
  versions: [1],
  own: true,
  on: 'model',
  methods: {
    /**
     * Plays a copy of the model on a virtual clock with what is assumed to happen; nothing is changed. Ends with the
     * connection.
     */
    Make: {
      params: z.object({
        /** Events as users write them: `10m: zone b fails`. */
        events: z.array(z.string()),
        /** Model files that the events apply; absent = none. */
        files: z.array(file).exactOptional(),
        /** Seconds to play. */
        horizon: z.number().min(1),
        /** Chance of the forecast: equal seeds give equal forecasts of equal models. Default: 1. */
        seed: z.int().nonnegative().exactOptional(),
      }),
      result: z.strictObject({
        /** Time of the copy, on the controller's clock. */
        began: time,
        /** Seconds to play, and seconds that were played: fewer when something was used up before. */
        horizon: z.number(),
        played: z.number(),
        /** What was used up before the horizon. Older controllers omit it, and the next one. */
        'used-up': z.enum(['time', 'memory']).optional(),
        /** Hooks of relations that were due then, and the earliest time in seconds at which they have run. */
        due: z.strictObject({ hooks: z.int().nonnegative(), until: z.number() }).optional(),
        /** What happens; times are seconds since `began`. `entity` is `event` for what was assumed. */
        timeline: listOf(z.strictObject({ at: z.number(), entity: z.string(), what: z.string() })),
        /** Number of all lines of the timeline, of which it has the first ones. */
        lines: z.int().nonnegative(),
        /** Seconds after which nothing was under way any more; absent = something still is, or a failed hook is retried. */
        'at-rest': z.number().optional(),
        /** Seconds until the last change, but for retries of failed hooks. Older controllers omit it, and the next three. */
        changed: z.number().optional(),
        /** Failed hooks that agents retry at the end, and when next, in seconds; absent = now, or it is not known. */
        retried: listOf(
          z.strictObject({ entity: z.string(), hook: z.string(), next: z.number().optional() }),
        ).optional(),
        /** Number of all of these, of which `retried` has the first ones. */
        'retried-hooks': z.int().nonnegative().optional(),
        /** Starts of machines are suspended at the end, and tried again: when next, in seconds; absent = they are not. */
        'suspended-starts': z.strictObject({ next: z.number().optional() }).optional(),
        /** Number of agents taken for connected because the controller had just started. Older controllers omit it. */
        awaited: z.int().nonnegative().optional(),
        /** What the times of hooks and machines' starts are taken from. */
        durations: durations.optional(),
        /** What is not as it should be at the end; `since` in seconds, 0 = from the beginning. */
        stuck: listOf(z.strictObject({ entity: z.string(), since: z.number(), explained })),
        /** Number of all that is stuck, of which `stuck` has the first ones. */
        'stuck-entities': z.int().nonnegative(),
        /** Number of units and machines at the end, and of those that are as they should be. */
        end: z.strictObject({ units: counts, machines: counts }),
      }),
    },
  },
} as const satisfies FacadeSpec;
