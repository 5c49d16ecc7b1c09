/** Execution of work of which some waits for other, at most so much at a time. */

interface Ordered {
  /** For each piece of work, the places of those before it that have to be done first. */
  readonly before: readonly (readonly number[])[];
  /** Maximum number of pieces at a time; 1 = one after the other, in their order. */
  readonly parallel: number;
  /** Does the piece at the place. */
  readonly run: (place: number) => Promise<void>;
}

/** A piece that was not done. */
export interface Failure {
  readonly place: number;
  readonly error: unknown;
}

/**
 * Does each piece as soon as it need not wait for others. After a failure, what is being done is finished and nothing
 * else begun. Returns the failures, in the order in which they happened.
 */
export async function doInOrder({ before, parallel, run }: Ordered): Promise<readonly Failure[]> {
  const needs = parallel > 1 ? before : before.map((_, place) => (place === 0 ? [] : [place - 1]));
  const open = needs.map((places) => places.length);
  const after = needs.map((): number[] => []);
  for (const [place, places] of needs.entries()) for (const one of places) after[one]!.push(place);
  const ready = [...open.keys()].filter((place) => open[place] === 0);
  const failures: Failure[] = [];
  const running = new Set<Promise<void>>();
  const one = async (place: number): Promise<void> => {
    try {
      await run(place);
      for (const next of after[place]!) if (--open[next]! === 0) ready.push(next);
    } catch (error) {
      failures.push({ place, error });
    }
  };
  // The list grows while it is gone through.
  for (let next = 0; ;) {
    while (failures.length === 0 && next < ready.length && running.size < parallel) {
      const work: Promise<void> = one(ready[next++]!).finally(() => running.delete(work));
      running.add(work);
    }
    if (running.size === 0) return failures;
    await Promise.race(running);
  }
}
