import type { Call } from '../../facade.ts';

/** Time in milliseconds between two pauses: other requests wait at most so long. */
const sliceMs = 20;

/**
 * Creates a pause to be awaited for each of many items: it yields the event loop whenever a slice of time is used up.
 */
export function pauseOf({ services }: Pick<Call, 'services'>): () => Promise<void> | undefined {
  const { clock, nextTurn } = services;
  let sliceStart = clock.now();
  return () => {
    if (clock.now() - sliceStart < sliceMs) return undefined;
    return new Promise((resolve) =>
      nextTurn(() => {
        sliceStart = clock.now();
        resolve();
      }),
    );
  };
}
