import type { stringsWatcher as spec } from '../../../wire/facades/strings-watcher.ts';
import type { FacadeTable } from '../../facade.ts';
import { EgressNews } from '../../watchers/remote-news.ts';
import { TaskProgress } from '../../watchers/task-progress.ts';
import { stopWatcher, watcherOf } from '../shared/watched.ts';

/** Whoever began to watch may ask: a watcher is of its connection, which ends when its access is lost. */
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
