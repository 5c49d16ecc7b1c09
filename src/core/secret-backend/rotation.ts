import { notValid } from '../errors.ts';

const hourMs = 3_600_000;

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
