import { hasCode } from '../../../core/errors.ts';
import type { allWatcher as spec } from '../../../wire/facades/all-watcher.ts';
import type { Call, ResultOf } from '../../facade.ts';

/** python-libjuju stops twice: the second time there is nothing to stop. */
export function stop(call: Call): ResultOf<typeof spec, 'Stop'> {
  try {
    call.connection.remove(call.id);
  } catch (error) {
    if (!hasCode(error, 'not found')) throw error;
  }
  return {};
}
