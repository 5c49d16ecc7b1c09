/** When backups are made by themselves (backups.md#schedule). Times are in milliseconds since 1970, and days in UTC. */
import { notValid } from '../errors.ts';
import { waitsToRetry, type Retry } from '../retry.ts';
import type { BackupSchedule, BackupScheduleDoc } from './document.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Bounds of a schedule: the interval and the age in milliseconds. */
const scheduleBounds = {
  every: { min: 5 * minuteMs, max: 366 * dayMs },
  keep: { min: 1, max: 1000 },
  keepAge: { min: 0, max: 3660 * dayMs },
  keepSize: { min: 0, max: Number.MAX_SAFE_INTEGER },
} as const;

/** Errors: `not valid`, with what the value may be. */
export function checkSchedule({ every, at, keep, keepAge, keepSize }: BackupSchedule): void {
  const { every: interval } = scheduleBounds;
  if (!(every >= interval.min && every <= interval.max && every % minuteMs === 0))
    throw notValid('interval of backups not valid: expected 5m to 8784h, in whole minutes');
  if (at !== undefined && minuteOfDay(at) === undefined)
    throw notValid(`time of day "${at}" not valid: expected 00:00 to 23:59, in UTC`);
  if (at !== undefined && every % dayMs !== 0 && dayMs % every !== 0)
    throw notValid(
      'interval of backups with a time of day not valid: expected a part of a day, such as 6h, or days',
    );
  within('number of backups that are kept', keep, scheduleBounds.keep);
  within('age of backups that are kept', keepAge ?? 0, scheduleBounds.keepAge);
  within('size of backups that are kept', keepSize ?? 0, scheduleBounds.keepSize);
}

function within(
  what: string,
  value: number,
  { min, max }: { readonly min: number; readonly max: number },
): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw notValid(`${what} not valid: expected a whole number from ${min} to ${max}`);
}

/** `03:30` as minutes; undefined for what is no time of day. */
function minuteOfDay(at: string): number | undefined {
  const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(at);
  return match ? Number(match[1]) * 60 + Number(match[2]) : undefined;
}

/**
 * The first time of the schedule after `now`. Its times are a grid, so those that pass while no backup can be made
 * are owed one backup together.
 */
export function timeAfter({ every, at, since }: BackupSchedule, now: number): number {
  const first = at === undefined ? Date.parse(since) : minuteOfDay(at)! * minuteMs;
  return first + (Math.floor((now - first) / every) + 1) * every;
}

/** The first time of a new schedule: at once, to show that it works, unless it names a time of day. */
export function firstTime(schedule: BackupSchedule, now: number): number {
  return schedule.at === undefined ? now : timeAfter(schedule, now);
}

/**
 * Milliseconds until the next attempt, 0 = now. Undefined for a time that is further ahead than any that was set: the
 * clock was set back, and the times of the schedule are to be counted again from now.
 */
export function waitOf({ next, failure, every }: BackupScheduleDoc, now: number): number | undefined {
  const wait = Date.parse(failure?.at ?? next) - now;
  return wait > (failure ? Math.min(retryMaxMs, every) : every) ? undefined : Math.max(0, wait);
}

const retryMaxMs = 60 * minuteMs;

/** The next attempt after a failed one: a minute later, then twice as long each time, up to an hour or the interval. */
export function retryAfter({ every, failure }: BackupScheduleDoc, now: number): Retry {
  const attempt = (failure?.attempt ?? 0) + 1;
  const delay = Math.min(minuteMs * 2 ** Math.min(attempt - 1, 10), retryMaxMs, every);
  return { attempt, at: new Date(now + delay).toISOString() };
}

/** Time after which a backup that was not made is overdue. */
const overdueMs = 60 * minuteMs;

/** What is wrong with the backups of a schedule; '' = nothing. */
export function scheduleTrouble({ next, failure }: BackupScheduleDoc, now: number): string {
  if (failure) return `backups fail since ${failure.since}: ${waitsToRetry(failure, failure.reason)}`;
  return now - Date.parse(next) > overdueMs ? `a backup is overdue since ${next}` : '';
}
