import type { LeaseDoc } from './document.ts';

/** Shortest time in milliseconds to the next look at leases: a slightly late expiry is better than two quick looks. */
const nextMsMin = 100;

/** Applications whose leases have run out at `now`, and milliseconds until the next of the others does. */
export function planExpiry(
  leases: Iterable<LeaseDoc>,
  now: number,
): { readonly expired: readonly string[]; readonly nextMs: number | undefined } {
  const instant = new Date(now).toISOString();
  const expired: string[] = [];
  let next = Infinity;
  for (const { application, expiresAt } of leases) {
    if (expiresAt <= instant) expired.push(application);
    else next = Math.min(next, Date.parse(expiresAt) - now);
  }
  return { expired, nextMs: next === Infinity ? undefined : Math.max(next, nextMsMin) };
}
