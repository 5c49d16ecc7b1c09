import { z } from 'zod';
import { fullStatus } from './client.ts';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

export const historyParams = z.object({
  /** Whose history, as a user types it, also of what is removed (core/explain/find-entity.ts); none = the model's. */
  names: z.array(z.string()),
  /** The newest so many; 0 = as many as one answer has. */
  limit: z.int().nonnegative(),
  /** Only revisions above this one. */
  after: z.int().nonnegative().exactOptional(),
  /** Only revisions below this one: what is before the oldest of another answer. */
  before: z.int().nonnegative().exactOptional(),
  /** Only what is not older. */
  since: z.string().exactOptional(),
  /** Only what this one asked for: a tag, a user's name, or a worker's. */
  by: z.string().exactOptional(),
  /** Also every status, and what agents do hook by hook. */
  statuses: z.boolean().exactOptional(),
});

export const historyResult = z.strictObject({
  /** Newest first. */
  commits: listOf(
    z.strictObject({
      revision: z.int(),
      time: shared.time,
      /** Who asked for it: a tag, or a worker's name. */
      by: z.string(),
      events: listOf(
        z.strictObject({
          /** `unit mysql/0` */
          subject: z.string(),
          /** `created`; the same for all to which the same was done. */
          what: z.string(),
          /** What is this one's own: `on machine 3`. */
          detail: z.string(),
        }),
      ),
      /** Changes that a very large commit has beside those. */
      more: z.int(),
    }),
  ),
  /** Where to go on: as the next call's `before`. Absent when there is nothing older. */
  next: z.int().optional(),
  /** The oldest revision that is known; the time of the first change after it, or ''. */
  horizon: z.strictObject({ revision: z.int(), time: z.string() }),
});

export const statusAtParams = z.object({
  /** One of these. */
  revision: z.int().nonnegative().exactOptional(),
  /** RFC 3339: the newest revision then. */
  time: z.string().exactOptional(),
  patterns: z.array(z.string()),
});

export const statusAtResult = z.strictObject({
  revision: z.int(),
  /** When that revision was; '' when it is forgotten. */
  time: z.string(),
  /** As Client.FullStatus; agents as they said they were, since nobody stored who was connected. */
  status: fullStatus,
});
