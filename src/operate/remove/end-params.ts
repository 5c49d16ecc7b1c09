/** Options for the removal of a model, or of a controller with its models. */
import { defined } from '../../core/defined.ts';
export interface EndOptions {
  readonly destroyStorage: boolean;
  readonly releaseStorage: boolean;
  /** Forced removal: the controller clears what is left after the deadline without waiting for agents. */
  readonly force: boolean;
  readonly noWait: boolean;
}

/** Returns the options in the form of the API's params. */
export function endParams({ destroyStorage, releaseStorage, force, noWait }: EndOptions) {
  return {
    ...(destroyStorage || releaseStorage ? { 'destroy-storage': destroyStorage } : {}),
    ...defined({ force: force || undefined, 'max-wait': noWait ? 0 : undefined }),
  };
}
