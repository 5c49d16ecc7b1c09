import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

/** Times in seconds, sizes in bytes. */
const schedule = z.strictObject({
  every: z.int(),
  /** Time of day in UTC: `03:00`; absent = the interval is counted from when it was set. */
  at: z.string().optional(),
  keep: z.int(),
  'keep-age': z.int().optional(),
  'keep-size': z.int().optional(),
  /** Raw X25519 key in base64; absent = archives are not sealed. */
  'public-key': z.string().optional(),
  logs: z.boolean(),
  /** When the next backup is due. */
  next: shared.time,
  last: shared.time.optional(),
  /** Why backups fail, and what is overdue; absent = nothing is wrong. */
  trouble: z.string().optional(),
});

/**
 * Extension of grigri: the archives of backups that are on the controller's host, and the schedule by which they are
 * made (backups.md#schedule). Names of methods are those of Juju 2 where it had them.
 */
export const backupArchives = {
  name: 'BackupArchives',
  own: true,
  versions: [1],
  on: 'controller',
  methods: {
    /** Lists the archives, the newest first; all that have their name were read back after they were written. */
    List: {
      params: shared.noParams,
      result: z.strictObject({
        /** Folder on the controller's host. */
        folder: z.string(),
        list: listOf(
          z.strictObject({
            name: z.string(),
            started: shared.time,
            size: z.int(),
            sealed: z.boolean(),
            /** Whether this controller's schedule has made it. */
            scheduled: z.boolean(),
            /** Whether it was read back when it was made: archives of early versions were not. */
            verified: z.boolean(),
          }),
        ),
        /** The newest attempts of the schedule that failed, the newest first; absent = the controller tells none. */
        failed: listOf(z.strictObject({ at: shared.time, reason: z.string() })).optional(),
      }),
    },
    /** Removes archives by their names, without a folder. */
    Remove: { params: z.object({ ids: z.array(z.string()) }), result: shared.errorResults },
    /** Tells the schedule; none = backups are only made by hand. */
    Schedule: { params: shared.noParams, result: z.strictObject({ schedule: schedule.optional() }) },
    /** Begins the schedule, or changes what is given. */
    SetSchedule: {
      params: z.object({
        every: z.int().nonnegative().optional(),
        /** '' = no time of day. */
        at: z.string().optional(),
        keep: z.int().nonnegative().optional(),
        /** 0 = no limit. */
        'keep-age': z.int().nonnegative().optional(),
        'keep-size': z.int().nonnegative().optional(),
        'public-key': z.string().optional(),
        logs: z.boolean().optional(),
      }),
      result: schedule,
    },
    /** Ends the schedule; archives stay. */
    EndSchedule: { params: shared.noParams, result: shared.noResult },
  },
} as const satisfies FacadeSpec;
