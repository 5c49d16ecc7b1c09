import type { stringsWatcher as spec } from '../../../wire/facades/strings-watcher.ts';
import type { FacadeTable } from '../../facade.ts';
import { TaskProgress } from '../../watchers/task-progress.ts';
import { stopWatcher, watcherOf } from '../shared/watched.ts';

export const stringsWatcher = {
  Next: {
    needs: 'model-read',
    run: async (call) => ({ 'watcher-id': '', changes: await watcherOf(call, TaskProgress).next() }),
  },
  Stop: { needs: 'model-read', run: stopWatcher },
} satisfies FacadeTable<typeof spec>;
