import type { notifyWatcher as spec } from '../../../wire/facades/watchers.ts';
import type { FacadeTable } from '../../facade.ts';
import { CloudOfModel } from '../../watchers/cloud-of-model.ts';
import { stopWatcher, watcherOf } from '../shared/watched.ts';

export const notifyWatcher = {
  Next: { needs: 'login', run: (call) => watcherOf(call, CloudOfModel).next() },
  Stop: { needs: 'login', run: stopWatcher },
} satisfies FacadeTable<typeof spec>;
