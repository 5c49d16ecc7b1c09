/** Style in which times are shown (status.md#shown-times). */
export interface TimeStyle {
  /** Format `2026-01-02 15:04:05Z`, from --utc or JUJU_STATUS_ISO_TIME. */
  readonly iso: boolean;
  readonly nowMs: number;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (n: number): string => String(n).padStart(2, '0');

/** Formats a time as `02 Jan 2026 15:04:05+01:00` in local time; '' for no time. */
export function formatTime(time: string | undefined, style: TimeStyle): string {
  const date = parse(time);
  if (!date) return '';
  if (style.iso) return `${date.toISOString().slice(0, 19).replace('T', ' ')}Z`;
  return `${two(date.getDate())} ${months[date.getMonth()]} ${date.getFullYear()} ${clockTime(date)}`;
}

/** Formats the header's time stamp: `15:04:05+01:00`. */
export function formatClockTime(time: string | undefined, style: TimeStyle): string {
  const date = parse(time);
  if (!date) return '';
  return style.iso ? `${date.toISOString().slice(11, 19)}Z` : clockTime(date);
}

/** Formats a time as Go prints it: `2026-01-02 15:04:05 +0100 CET`; '' for no time. */
export function formatTimeWithZone(time: string | undefined, utc: boolean): string {
  const date = parse(time);
  if (!date) return '';
  const offset = utc ? 0 : -date.getTimezoneOffset();
  const local = new Date(date.getTime() + offset * 60_000).toISOString();
  const abs = Math.abs(offset);
  const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(abs / 60))}${two(abs % 60)}`;
  return `${local.slice(0, 10)} ${local.slice(11, 19)} ${zone} ${utc ? 'UTC' : zoneName(date)}`;
}

/** Formats the time of day: `15:04:05`. */
export function formatTimeOfDay(time: string | undefined, utc: boolean): string {
  return formatTimeWithZone(time, utc).slice(11, 19);
}

function zoneName(date: Date): string {
  const parts = new Intl.DateTimeFormat('en-US', { timeZoneName: 'short' }).formatToParts(date);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

/** Formats an age: `just now`, `5 minutes ago`, `2026-01-02`; `never connected` without a time. */
export function formatAgo(time: string | undefined, style: TimeStyle): string {
  const date = parse(time);
  if (!date) return 'never connected';
  const seconds = (style.nowMs - date.getTime()) / 1000;
  if (seconds < 10) return 'just now';
  if (seconds < 60) return plural(seconds, 'second');
  if (seconds < 3600) return plural(seconds / 60, 'minute');
  if (seconds < 86_400) return plural(seconds / 3600, 'hour');
  if (seconds < 2 * 86_400) return 'yesterday';
  return date.toISOString().slice(0, 10);
}

/** Parses a time. Go's zero time counts as none. */
function parse(time: string | undefined): Date | undefined {
  if (!time || time.startsWith('0001-')) return undefined;
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function clockTime(date: Date): string {
  const offset = -date.getTimezoneOffset();
  const abs = Math.abs(offset);
  const zone = offset === 0 ? 'Z' : `${offset < 0 ? '-' : '+'}${two(Math.floor(abs / 60))}:${two(abs % 60)}`;
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}${zone}`;
}

function plural(count: number, unit: string): string {
  const n = Math.floor(count);
  return `${n} ${unit}${n === 1 ? '' : 's'} ago`;
}
