import type { StrayDoc } from '../../../core/stray/document.ts';
import type { Tx } from '../tx.ts';

/** Instances that no machine has, as the last look at the cloud found them: new or other ones, and ids that are none. */
export function recordStrays(
  tx: Tx,
  { found = [], gone = [] }: { readonly found?: readonly StrayDoc[]; readonly gone?: readonly string[] },
): void {
  for (const stray of found) tx.put('stray', stray.instanceId, stray);
  for (const id of gone) tx.remove('stray', id);
}
