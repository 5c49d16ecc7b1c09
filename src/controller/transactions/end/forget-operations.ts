import type { Tx } from '../tx.ts';

/** Removes tasks and operations that are no longer kept. */
export function forgetOperations(
  tx: Tx,
  documents: readonly { readonly kind: 'operation' | 'task'; readonly id: string }[],
): void {
  for (const { kind, id } of documents) tx.remove(kind, id);
}
