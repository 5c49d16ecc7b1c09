import type { allWatcher as spec } from '../../../wire/facades/all-watcher.ts';
import type { FacadeTable } from '../../facade.ts';
import { AllWatcher } from '../../watchers/all-watcher.ts';
import { watcherTable } from '../shared/watched.ts';

export const allWatcher = watcherTable('model-read', AllWatcher) satisfies FacadeTable<typeof spec>;
