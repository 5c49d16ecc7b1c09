/** Hands out a long list in pieces, one after the other: no change of all of it, and others' work in between. */
export async function inBatches<T>(
  items: readonly T[],
  size: number,
  signal: AbortSignal,
  change: (batch: readonly T[]) => Promise<void>,
): Promise<void> {
  for (let n = 0; n < items.length; n += size) {
    signal.throwIfAborted();
    await change(items.slice(n, n + size));
  }
}
