import type { stringsWatcher as spec } from '../../../wire/facades/strings-watcher.ts';
import type { Call, ResultOf } from '../../facade.ts';

/** Stops the watcher; a stopped watcher is no error. */
export function stop(call: Call): ResultOf<typeof spec, 'Stop'> {
  call.connection.remove(call.id);
  return {};
}
