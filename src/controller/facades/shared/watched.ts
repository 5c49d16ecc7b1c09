import { JujuError } from '../../../core/errors.ts';
import type { Call, Needs, Watcher } from '../../facade.ts';

/** Constructor of a kind of watcher, as `instanceof` takes it. */
type Kind<W> = abstract new (...args: never[]) => W;

/** Returns the watcher that a call names by its id. Errors: `not found` for no watcher, or one of something else. */
export function watcherOf<W extends Watcher>({ connection, id }: Call, kind: Kind<W>): W {
  const watcher = connection.get(id);
  if (!(watcher instanceof kind)) throw new JujuError('not found', 'unknown watcher id');
  return watcher;
}

/** Functions of a watcher's facade whose news are what the watcher of that kind tells. */
export function watcherTable<N extends Needs, W extends Watcher>(needs: N, kind: Kind<W>) {
  return {
    Next: { needs, run: (call: Call) => watcherOf(call, kind).next() as ReturnType<W['next']> },
    Stop: { needs, run: stopWatcher },
  } as const;
}

/** Stops the watcher of a call. A stopped watcher is no error: python-libjuju stops twice. */
export function stopWatcher({ connection, id }: Call): Record<never, never> {
  connection.remove(id);
  return {};
}
