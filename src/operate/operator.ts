/** Context of a client's operations. Operations report each event to the caller's `report`. */
import type { Clock } from '../kit/clock.ts';

export interface Operator<E extends { readonly kind: string } = never> {
  readonly clock: Clock;
  /** Signal that ends the current operation. */
  readonly signal: AbortSignal;
  /** Receiver of all events, in order. The outcome of an operation is its return value. */
  readonly report: (event: CommonEvent | E) => void;
  /** Architecture of the client's host, by Go's names. The origin of a charm contains it. */
  readonly architecture: string;
}

/** Events of every operation. */
export type CommonEvent =
  /** Work that may take long. `until` resolves when the work has ended, whether or not it succeeded. */
  | { readonly kind: 'working'; readonly work: Work; readonly finished: Promise<void> }
  /** Warning of the controller, or about the files that were read. */
  | { readonly kind: 'warning'; readonly text: string }
  /** Detail for users who ask for more. */
  | { readonly kind: 'detail'; readonly text: string };

type Work =
  | {
      readonly kind: 'connecting';
      readonly controller: string;
      readonly addresses: readonly string[];
    }
  | { readonly kind: 'packing'; readonly path: string }
  | { readonly kind: 'uploading'; readonly charm: string; readonly bytes: number }
  | { readonly kind: 'uploading resource'; readonly resource: string; readonly bytes: number };

/** Reports `on` and waits for `promise`. Errors: those of `promise`. */
export function working<T>({ report }: Operator, work: Work, promise: Promise<T>): Promise<T> {
  const finished = promise.then(
    () => undefined,
    () => undefined,
  );
  report({ kind: 'working', work, finished });
  return promise;
}
