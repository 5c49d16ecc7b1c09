/** Results of Lives.Explain and Lives.Removals. */
import { z } from 'zod';
import { life, listOf, time } from './shared.ts';

const force = z.strictObject({ deadline: time, by: z.string() });

/** Command lines of the CLI with the effect of each. */
const commands = listOf(z.strictObject({ line: z.string(), effect: z.string() }));

export const actor = z.strictObject({
  kind: z.enum(['agent', 'charm', 'cleaner', 'operator', 'placer', 'provisioner', 'undertaker']),
  name: z.string(),
  task: z.string(),
  since: time.optional(),
  hook: z
    .strictObject({
      unit: z.string(),
      name: z.string(),
      /** Last different lines of the failed hook, oldest first, with the count of each; only in `next`. */
      said: listOf(z.strictObject({ line: z.string(), times: z.int().positive() })).optional(),
    })
    .optional(),
  commands,
});

export const explanation = z.strictObject({
  kind: z.string(),
  id: z.string(),
  name: z.string(),
  life: life.optional(),
  since: time.optional(),
  force: force.optional(),
  text: z.string(),
  actor: actor.optional(),
  removal: z.strictObject({ refused: z.string(), commands }).optional(),
  get 'waits-for'() {
    return z.array(explanation).readonly();
  },
  /** Number of entries that are not listed. */
  more: z.int().nonnegative(),
  /** True when the entity is described in full nearer to the top. */
  above: z.boolean(),
});

export const explained = z.strictObject({
  /** Time on the controller's clock. */
  now: time,
  explanation,
  /** Actors in the explanation that must act, each once, the user first. */
  next: listOf(actor),
  /** Use of the limits (docs/reference/limits.md). */
  quotas: listOf(
    z.strictObject({
      limit: z.string(),
      of: z.string(),
      used: z.int().nonnegative(),
      max: z.int().nonnegative(),
      unit: z.string(),
    }),
  ),
});

export const removals = z.strictObject({
  now: time,
  removals: listOf(
    z.strictObject({
      kind: z.string(),
      id: z.string(),
      name: z.string(),
      life,
      since: time.optional(),
      force: force.optional(),
      'waits-for': z.string(),
    }),
  ),
  /** Number of all entries: a very long list is cut. */
  total: z.int().nonnegative(),
});
