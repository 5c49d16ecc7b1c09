/** Which root key mints a macaroon (login.md#root-keys). */
import type { RootKeyDoc } from './document.ts';

/** Time for which a new key mints macaroons, in milliseconds. */
const usedMs = 3_600_000;

/**
 * Returns the key that outlives a macaroon of this validity, and of several the one that lasts longest; undefined: a
 * new one is needed.
 */
export function chooseRootKey(
  keys: Iterable<RootKeyDoc>,
  { now, validMs }: { readonly now: number; readonly validMs: number },
): RootKeyDoc | undefined {
  let chosen: RootKeyDoc | undefined;
  for (const key of keys) {
    if (Date.parse(key.expiresAt) < now + validMs) continue;
    if (!chosen || key.expiresAt > chosen.expiresAt) chosen = key;
  }
  return chosen;
}

/** The end of a new key: that of the last macaroon that it mints. */
export function rootKeyEnd({ now, validMs }: { readonly now: number; readonly validMs: number }): number {
  return now + validMs + usedMs;
}

/** Whether macaroons of the key count no longer, so that it may go. */
export function isExpired({ expiresAt }: RootKeyDoc, now: number): boolean {
  return Date.parse(expiresAt) <= now;
}
