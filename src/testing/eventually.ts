import { vi } from 'vitest';

/**
 * Calls `check` until it does not throw, and returns its result. The timeout is long, because a busy machine may do
 * nothing for seconds; tests that pass do not wait for it.
 */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 50_000, interval: 10 });
}
