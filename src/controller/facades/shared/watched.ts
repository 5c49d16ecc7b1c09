import { JujuError } from '../../../core/errors.ts';
import type { Call, Watcher } from '../../facade.ts';

/** Constructor of a kind of watcher, as `instanceof` takes it. */
type Kind<W> = abstract new (...args: never[]) => W;

/** Returns the watcher that a call names by its id. Errors: `not found` for no watcher, or one of something else. */
export function watcherOf<W extends Watcher>({ connection, id }: Call, kind: Kind<W>): W {
  const watcher = connection.get(id);
  if (!(watcher instanceof kind)) throw new JujuError('not found', 'unknown watcher id');
  return watcher;
}

/** Stops the watcher of a call. A stopped watcher is no error: python-libjuju stops twice. */
export function stopWatcher({ connection, id }: Call): Record<never, never> {
  connection.remove(id);
  return {};
}
