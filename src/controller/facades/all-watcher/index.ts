import type { allWatcher as spec } from '../../../wire/facades/all-watcher.ts';
import type { FacadeTable } from '../../facade.ts';
import { AllWatcher } from '../../watchers/all-watcher.ts';
import { stopWatcher, watcherOf } from '../shared/watched.ts';

export const allWatcher = {
  Next: { needs: 'model-read', run: (call) => watcherOf(call, AllWatcher).next() },
  Stop: { needs: 'model-read', run: stopWatcher },
} satisfies FacadeTable<typeof spec>;
