/** What the operations of a client work with, and how they report: each event goes to the caller's `report`. */
import type { Clock } from '../kit/clock.ts';

export interface Operator<E extends { readonly kind: string } = never> {
  readonly clock: Clock;
  /** Ends what is being done. */
  readonly signal: AbortSignal;
  /** Called for each event, in order. What an operation came to is what it returns. */
  readonly report: (event: CommonEvent | E) => void;
  /** The architecture of the client's host, in Go's names. A charm's origin tells it. */
  readonly architecture: string;
}

/** Events of every operation. */
export type CommonEvent =
  /** Something that may take long. `until` resolves when it has ended, well or not. */
  | { readonly kind: 'working'; readonly on: Work; readonly until: Promise<void> }
  /** From the controller, or about what was read. */
  | { readonly kind: 'warning'; readonly text: string };

export type Work =
  | {
      readonly kind: 'connecting';
      readonly controller: string;
      readonly addresses: readonly string[];
    }
  | { readonly kind: 'packing'; readonly path: string }
  | { readonly kind: 'uploading'; readonly charm: string; readonly bytes: number };

/** Reports `on` and waits for `promise`. Errors: its. */
export function working<T>({ report }: Operator, on: Work, promise: Promise<T>): Promise<T> {
  const until = promise.then(
    () => undefined,
    () => undefined,
  );
  report({ kind: 'working', on, until });
  return promise;
}
