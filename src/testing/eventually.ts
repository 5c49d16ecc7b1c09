import { vi } from 'vitest';

/**
 * Asks until `check` throws nothing and says what it gave. Patient, because a machine that others use may do nothing
 * for seconds; nobody waits so long where all is well.
 */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 30_000, interval: 10 });
}
