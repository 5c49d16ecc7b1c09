import { z } from 'zod';
import { fullStatus } from './client.ts';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

export const historyParams = z.object({
  /**
   * Entity whose history is asked for, as a user types it, also a removed one (core/explain/find-entity.ts); none = the
   * model.
   */
  names: z.array(z.string()),
  /** Maximum number of commits, newest first; 0 = as many as one answer has. */
  limit: z.int().nonnegative(),
  /** Only revisions above this one. */
  after: z.int().nonnegative().exactOptional(),
  /** Only revisions below this one: older than the oldest of another answer. */
  before: z.int().nonnegative().exactOptional(),
  /** Only changes that are not older than this time. */
  since: z.string().exactOptional(),
  /** Only changes by this requester: a tag, a user's name, or a worker's. */
  by: z.string().exactOptional(),
  /** True to include every status, and what agents do hook by hook. */
  statuses: z.boolean().exactOptional(),
});

export const historyResult = z.strictObject({
  /** Commits, newest first. */
  commits: listOf(
    z.strictObject({
      revision: z.int(),
      time: shared.time,
      /** Requester: a tag, or a worker's name. */
      by: z.string(),
      events: listOf(
        z.strictObject({
          /** Subject of the change, such as `unit mysql/0`. */
          subject: z.string(),
          /** Change, such as `created`; equal for all subjects with the same change. */
          what: z.string(),
          /** Detail of this subject, such as `on machine 3`. */
          detail: z.string(),
        }),
      ),
      /** Number of further changes of a very large commit. */
      more: z.int(),
    }),
  ),
  /** Revision to continue at, as the next call's `before`. Absent when there is nothing older. */
  next: z.int().optional(),
  /** Newest revision that was looked at, as a later call's `after`. Older controllers omit it. */
  newest: z.int().optional(),
  /** Oldest known revision; the time of the first change after it, or ''. */
  horizon: z.strictObject({ revision: z.int(), time: z.string() }),
});

export const statusAtParams = z.object({
  /** Revision to show; either this or `time`. */
  revision: z.int().nonnegative().exactOptional(),
  /** Time (RFC 3339) whose newest revision is shown. */
  time: z.string().exactOptional(),
  patterns: z.array(z.string()),
});

export const statusAtResult = z.strictObject({
  revision: z.int(),
  /** Time of the revision; '' when it is forgotten. */
  time: z.string(),
  /** Status like Client.FullStatus; agents have the status that they reported, since connections are not stored. */
  status: fullStatus,
});
