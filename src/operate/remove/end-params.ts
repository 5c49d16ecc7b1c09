/** How a model, or a controller with its models, is to end. */
export interface EndOptions {
  readonly destroyStorage: boolean;
  readonly releaseStorage: boolean;
  /** What is left after the deadline is cleared without its agents. */
  readonly force: boolean;
  readonly noWait: boolean;
}

/** What the API is told of it. */
export function endParams({ destroyStorage, releaseStorage, force, noWait }: EndOptions) {
  return {
    ...(destroyStorage || releaseStorage ? { 'destroy-storage': destroyStorage } : {}),
    ...(force ? { force: true } : {}),
    ...(noWait ? { 'max-wait': 0 } : {}),
  };
}
