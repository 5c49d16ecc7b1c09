import type { allWatcher as spec } from '../../../wire/facades/all-watcher.ts';
import type { Call, ResultOf } from '../../facade.ts';

/** Stops the watcher. A stopped watcher is no error: python-libjuju stops twice. */
export function stop(call: Call): ResultOf<typeof spec, 'Stop'> {
  call.connection.remove(call.id);
  return {};
}
