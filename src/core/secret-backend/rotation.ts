import { notValid } from '../errors.ts';

const hourMs = 3_600_000;
const minuteMs = 60_000;

/**
 * Milliseconds between two tokens of a backend, of Go's nanoseconds; 0 and undefined = tokens are not replaced. Errors:
 * `not valid` for less than an hour, or more than a year.
 */
export function rotationOf(nanoseconds: number | undefined): number | undefined {
  if (nanoseconds === undefined || nanoseconds === 0) return undefined;
  const ms = nanoseconds / 1e6;
  if (!(ms >= hourMs)) throw notValid('token rotate interval less than 1h');
  if (ms > 366 * 24 * hourMs) throw notValid('token rotate interval more than a year');
  return ms;
}

/**
 * Milliseconds until a token that is valid for `validMs` is replaced: servers give tokens a shorter life than is asked
 * for, and a token that has ended cannot replace itself.
 */
export function nextRotation(interval: number, validMs: number): number {
  return Math.min(interval, Math.max(minuteMs, Math.floor(validMs / 2)));
}
