/**
 * Runs `run` for each item, at most `max` at a time, and returns the results in the items' order. After an error, or
 * when the signal aborts, nothing more is begun; it rejects with the first error, or the signal's reason, when all that
 * was begun has ended.
 */
export async function sideBySide<T, R>(
  items: Iterable<T>,
  max: number,
  run: (item: T) => Promise<R>,
  signal?: AbortSignal,
): Promise<R[]> {
  const results: R[] = [];
  const failures: unknown[] = [];
  const queue = [...items].entries();
  const lane = async (): Promise<void> => {
    for (const [at, item] of queue) {
      if (failures.length > 0) return;
      try {
        signal?.throwIfAborted();
        results[at] = await run(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: max }, lane));
  if (failures.length > 0) throw failures[0];
  return results;
}
