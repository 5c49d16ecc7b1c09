import { JujuError } from '../../../core/errors.ts';
import type { Call, Needs, Watcher } from '../../facade.ts';

/** Constructor of a kind of watcher, as `instanceof` takes it. */
type Kind<W> = abstract new (...args: never[]) => W;

/**
 * Returns the watcher, of one of the kinds, that a call names by its id. Errors: `not found` for no watcher, or one of
 * another kind.
 */
export function watcherOf<K extends readonly Kind<Watcher>[]>(
  { connection, id }: Call,
  ...kinds: K
): InstanceType<K[number]> {
  const watcher = connection.get(id);
  const isOfKind = (one: Watcher): one is InstanceType<K[number]> =>
    kinds.some((kind) => one instanceof kind);
  if (!isOfKind(watcher)) throw new JujuError('not found', 'unknown watcher id');
  return watcher;
}

/** Functions of a watcher's facade which return the news of a watcher of one of the kinds. */
export function watcherTable<N extends Needs, K extends readonly Kind<Watcher>[]>(needs: N, ...kinds: K) {
  type News = ReturnType<InstanceType<K[number]>['next']>;
  return {
    Next: { needs, run: (call: Call) => watcherOf(call, ...kinds).next() as News },
    Stop: { needs, run: stopWatcher },
  } as const;
}

/** Stops the watcher of a call. A stopped watcher is no error: python-libjuju stops twice. */
export function stopWatcher({ connection, id }: Call): Record<never, never> {
  connection.remove(id);
  return {};
}
