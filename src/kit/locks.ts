/** One at a time for each key, in the order of asking. */
export type Locks = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function createLocks(): Locks {
  const tails = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = tails.get(key);
    const mine = (async () => {
      // How it ended concerns the one who asked for it.
      await before?.catch(() => undefined);
      return await work();
    })();
    tails.set(key, mine);
    try {
      return await mine;
    } finally {
      if (tails.get(key) === mine) tails.delete(key);
    }
  };
}
