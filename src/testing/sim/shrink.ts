/** Delta debugging: finds a small part of a failing list that still fails. */

interface ShrinkOptions<T> {
  /** Whether the items, in their original order, still fail. */
  readonly fails: (items: readonly T[]) => boolean | Promise<boolean>;
  /** Maximum number of tries; default 400. */
  readonly triesMax?: number;
}

/**
 * Leaves out ever smaller parts while the rest still fails (ddmin). Given enough tries, no remaining item can be left
 * out alone. `items` must fail.
 */
export async function shrink<T>(
  items: readonly T[],
  { fails, triesMax = 400 }: ShrinkOptions<T>,
): Promise<readonly T[]> {
  let kept = items;
  let tries = 0;
  let parts = 2;
  while (kept.length > 0 && tries < triesMax) {
    const size = Math.ceil(kept.length / parts);
    const smaller = await firstThatFails(kept, size);
    if (smaller) {
      kept = smaller;
      parts = Math.max(2, parts - 1);
    } else if (size === 1) return kept;
    else parts = Math.min(kept.length, parts * 2);
  }
  return kept;

  /** Later parts are tried first: steps after the failure's cause are removed at once. */
  async function firstThatFails(all: readonly T[], size: number): Promise<readonly T[] | undefined> {
    for (let end = all.length; end > 0 && tries < triesMax; end -= size) {
      const without = [...all.slice(0, Math.max(0, end - size)), ...all.slice(end)];
      tries++;
      if (await fails(without)) return without;
    }
    return undefined;
  }
}
