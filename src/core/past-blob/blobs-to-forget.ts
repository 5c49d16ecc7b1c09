import { limits } from '../limits.ts';
import type { PastBlobDoc } from './document.ts';

type Sized = Pick<PastBlobDoc, 'sha256' | 'size' | 'endedAt'>;

/**
 * Of the files that a model keeps for its past, those that make room for another one: the oldest first. Undefined when
 * the new one is too large to be kept at all.
 */
export function blobsToForget(kept: Iterable<Sized>, size: number): readonly string[] | undefined {
  if (size > limits.pastBlobBytes.max) return undefined;
  const oldest = [...kept].sort((a, b) => (a.endedAt < b.endedAt ? -1 : 1));
  let count = oldest.length + 1;
  let total = oldest.reduce((sum, one) => sum + one.size, size);
  const forgotten: string[] = [];
  for (const one of oldest) {
    if (count <= limits.pastBlobs.max && total <= limits.pastBlobBytes.max) break;
    forgotten.push(one.sha256);
    count -= 1;
    total -= one.size;
  }
  return forgotten;
}

/**
 * Whether no state that the history still has uses a file that lost its last user at a revision (0: in a change under
 * way). `horizon`: oldest revision of the history. Times do not tell that: clocks may be set back.
 */
export function isBeforeHistory(revision: number, horizon: number): boolean {
  return revision > 0 && revision <= horizon;
}
