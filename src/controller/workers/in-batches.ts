/**
 * Hands out a long list in batches, one after the other, so that no change covers all of it and other work runs in
 * between.
 */
export async function inBatches<T>(
  items: Iterable<T>,
  size: number,
  signal: AbortSignal,
  change: (batch: readonly T[]) => Promise<void>,
): Promise<void> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    signal.throwIfAborted();
    await change(batch);
    batch = [];
  }
  if (batch.length === 0) return;
  signal.throwIfAborted();
  await change(batch);
}
