import type { Call } from '../../facade.ts';

/** How long work may go on between two pauses, in milliseconds: so long others wait at most. */
const sliceMs = 20;

/** To be awaited for each of many: lets others have the event loop whenever a slice is used up. */
export function pauseOf({ services }: Pick<Call, 'services'>): () => Promise<void> | undefined {
  const { clock, nextTurn } = services;
  let since = clock.now();
  return () => {
    if (clock.now() - since < sliceMs) return undefined;
    return new Promise((resolve) =>
      nextTurn(() => {
        since = clock.now();
        resolve();
      }),
    );
  };
}
