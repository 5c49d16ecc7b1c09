import { JujuError } from '../../../core/errors.ts';
import type { stringsWatcher as spec } from '../../../wire/facades/strings-watcher.ts';
import type { Call, ResultOf } from '../../facade.ts';
import { TaskProgress } from '../../watchers/task-progress.ts';

/**
 * Waits for new strings. Errors: `not found` for the id of no watcher, or of a watcher of something else; `stopped`.
 */
export async function next(call: Call): Promise<ResultOf<typeof spec, 'Next'>> {
  const watcher = call.connection.get(call.id);
  if (!(watcher instanceof TaskProgress)) throw new JujuError('not found', 'unknown watcher id');
  return { 'watcher-id': '', changes: await watcher.next() };
}
