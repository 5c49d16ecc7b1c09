import type { Entities } from '../../core/kinds.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';

/** A worker for one model, in passes that a Reconciler runs. */
export interface ModelWorker {
  /** Runs one pass; may return milliseconds after which it wants to run again. */
  pass(signal: AbortSignal): Promise<number | void>;
  /** Whether a change on the topics that wake the worker gives it nothing to do; absent = no change is ignored. */
  ignores?(change: { readonly before: unknown; readonly after: unknown }): boolean;
  /** Ends the worker's subscriptions, and loops of its own; absent where it has none. */
  stop?(): void | Promise<void>;
}

export interface WorkerNeeds<Used extends keyof Services> {
  readonly store: Store<Entities>;
  readonly services: Pick<Services, Used>;
  readonly modelUuid: string;
  /** Wakes the reconciler that runs the passes. */
  readonly wake: () => void;
}
