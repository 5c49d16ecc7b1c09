import { notValid } from '../errors.ts';
import { parseDuration } from '../duration.ts';

export const rotatePolicies = [
  'never',
  'hourly',
  'daily',
  'weekly',
  'monthly',
  'quarterly',
  'yearly',
] as const;
export type RotatePolicy = (typeof rotatePolicies)[number];

/** Time in milliseconds after which the owner is asked again to rotate a secret or to replace what has expired. */
export const askAgainMs = 5 * 60_000;

/** Reads a policy; '' = none was given. Errors: `not valid`. */
export function parseRotatePolicy(text: string): RotatePolicy | undefined {
  if (text === '') return undefined;
  const policy = rotatePolicies.find((known) => known === text);
  if (policy === undefined) throw notValid(`rotate policy ${JSON.stringify(text)} not valid`);
  return policy;
}

/**
 * The time of the rotation after `from`: calendar arithmetic in UTC, where a day that the month does not have runs on
 * into the next (secrets.md#rotation).
 */
export function rotationAfter(policy: RotatePolicy, from: string): string | undefined {
  const date = new Date(from);
  switch (policy) {
    case 'never':
      return undefined;
    case 'hourly':
      date.setUTCHours(date.getUTCHours() + 1);
      break;
    case 'daily':
      date.setUTCDate(date.getUTCDate() + 1);
      break;
    case 'weekly':
      date.setUTCDate(date.getUTCDate() + 7);
      break;
    case 'monthly':
      date.setUTCMonth(date.getUTCMonth() + 1);
      break;
    case 'quarterly':
      date.setUTCMonth(date.getUTCMonth() + 3);
      break;
    case 'yearly':
      date.setUTCFullYear(date.getUTCFullYear() + 1);
      break;
  }
  return date.toISOString();
}

/** The next rotation when the policy of a secret is set: a new policy only moves it to an earlier time. */
export function rotationOnSet(
  policy: RotatePolicy,
  current: string | undefined,
  now: string,
): string | undefined {
  const next = rotationAfter(policy, toSecond(now));
  if (next === undefined || current === undefined) return next;
  return current < next ? current : next;
}

/** The next rotation after secret-rotate ran for the one that was due at `due` (secrets.md#rotation). */
export function rotationAfterHook({
  policy,
  due,
  now,
  hasNewRevision,
  expires,
}: {
  readonly policy: RotatePolicy;
  readonly due: string;
  readonly now: string;
  /** Whether the hook, or another one since the rotation was due, has added a revision. */
  readonly hasNewRevision: boolean;
  /** When the newest revision expires. */
  readonly expires: string | undefined;
}): string | undefined {
  const regular = rotationAfter(policy, due);
  if (regular === undefined) return undefined;
  const isEnough = hasNewRevision && !(expires !== undefined && expires < regular);
  if (isEnough && regular > now) return regular;
  // After a long absence the missed rotations are not made up for one by one.
  if (isEnough) return rotationAfter(policy, now);
  return new Date(Math.max(Date.parse(due), Date.parse(now)) + askAgainMs).toISOString();
}

/** Whether something is due at its minute (secrets.md#rotation). */
export function isDue(at: string, nowMs: number): boolean {
  return minuteOf(at) <= nowMs;
}

/** The first instant (milliseconds) at which isDue holds. */
export function minuteOf(at: string): number {
  return Math.floor(Date.parse(at) / 60_000) * 60_000;
}

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(Z|[+-]\d\d:\d\d)?$/;

/** Reads `--expire` where it is a time, to RFC 3339; undefined for a duration and for any other text. */
export function expiryTime(text: string): string | undefined {
  const match = timePattern.exec(text);
  if (!match) return undefined;
  const at = Date.parse(match[1] === undefined ? `${text}Z` : text);
  return Number.isNaN(at) ? undefined : toSecond(new Date(at).toISOString());
}

/** Reads `--expire`: a time or a positive duration, to RFC 3339. '' = none was given. Errors: `not valid`. */
export function parseExpiry(text: string, now: string): string | undefined {
  if (text === '') return undefined;
  const time = expiryTime(text);
  if (time !== undefined) return time;
  let ms: number;
  try {
    ms = parseDuration(text);
  } catch (error) {
    throw notValid(`expire time or duration ${JSON.stringify(text)} not valid`, error);
  }
  if (ms <= 0) throw notValid(`negative expire duration ${JSON.stringify(text)} not valid`);
  const at = Date.parse(now) + ms;
  if (!(at < 253_402_300_799_000))
    throw notValid(`expire time or duration ${JSON.stringify(text)} not valid`);
  return toSecond(new Date(at).toISOString());
}

/** A time rounded to its nearest second. */
function toSecond(time: string): string {
  return new Date(Math.round(Date.parse(time) / 1000) * 1000).toISOString();
}
