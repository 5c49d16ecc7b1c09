import type { action as spec } from '../../../wire/facades/action.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import { mustGet } from '../../transactions/tx.ts';
import { TaskProgress } from '../../watchers/task-progress.ts';
import { bulk } from '../shared/bulk.ts';
import { defined } from '../../../core/defined.ts';

export async function watchActionsProgress(
  call: Call,
  params: ParamsOf<typeof spec, 'WatchActionsProgress'>,
): Promise<ResultOf<typeof spec, 'WatchActionsProgress'>> {
  const results = await bulk(call, params.entities, ({ tag }) => {
    const watcher = new TaskProgress(call, mustGet(call.read(), 'task', parseTagOf('action', tag)).id);
    const changes = watcher.take();
    return {
      'watcher-id': call.connection.register(watcher),
      ...defined({ changes: changes.length > 0 ? changes : undefined }),
    };
  });
  return { results: results.map((result) => ({ 'watcher-id': '', ...result })) };
}
