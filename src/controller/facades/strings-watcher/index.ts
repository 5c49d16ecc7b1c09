import type { stringsWatcher as spec } from '../../../wire/facades/strings-watcher.ts';
import type { FacadeTable } from '../../facade.ts';
import { EgressNews } from '../../watchers/remote-news.ts';
import { TaskProgress } from '../../watchers/task-progress.ts';
import { stopWatcher, watcherOf } from '../shared/watched.ts';

/** Any caller may ask its own watchers: a watcher belongs to its connection, which ends when access is lost. */
export const stringsWatcher = {
  Next: {
    needs: 'anyone',
    run: async (call) => ({
      'watcher-id': '',
      changes: await watcherOf(call, TaskProgress, EgressNews).next(),
    }),
  },
  Stop: { needs: 'anyone', run: stopWatcher },
} satisfies FacadeTable<typeof spec>;
