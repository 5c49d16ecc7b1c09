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

/** Whether no state that the history still has uses the file. `horizonAt`: time of the first change that it has. */
export function isBeforeHistory({ endedAt }: Pick<PastBlobDoc, 'endedAt'>, horizonAt: string): boolean {
  return endedAt < horizonAt;
}
