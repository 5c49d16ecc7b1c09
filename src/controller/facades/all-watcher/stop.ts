import type { allWatcher as spec } from '../../../wire/facades/all-watcher.ts';
import type { Call, ResultOf } from '../../facade.ts';

/** Stopping what is stopped already is fine: python-libjuju stops twice. */
export function stop(call: Call): ResultOf<typeof spec, 'Stop'> {
  call.connection.remove(call.id);
  return {};
}
