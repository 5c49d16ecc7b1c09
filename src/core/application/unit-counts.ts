import type { Refs } from '../impediments.ts';

/** Counts an application's units: those without a machine yet, and the others. */
export function unitCounts(
  application: string,
  refs: Pick<Refs, 'count'>,
): { readonly waiting: number; readonly running: number } {
  const waiting = refs.count('unit', 'unplaced', application);
  return { waiting, running: refs.count('unit', 'application', application) - waiting };
}
