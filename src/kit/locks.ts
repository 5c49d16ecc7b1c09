/** Runs functions one at a time per key, in the order of the calls. */
export type Locks = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function createLocks(): Locks {
  const tails = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = tails.get(key);
    const mine = (async () => {
      // A predecessor's failure concerns its own caller only.
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
