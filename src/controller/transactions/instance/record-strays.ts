import type { StrayDoc } from '../../../core/stray/document.ts';
import type { Tx } from '../tx.ts';

/**
 * Records the instances without a machine that the last look at the cloud found: new or changed ones, and ids that are
 * no longer strays.
 */
export function recordStrays(
  tx: Tx,
  { found = [], gone = [] }: { readonly found?: readonly StrayDoc[]; readonly gone?: readonly string[] },
): void {
  for (const stray of found) tx.put('stray', stray.instanceId, stray);
  for (const id of gone) tx.remove('stray', id);
}
