import type { notifyWatcher as spec } from '../../../wire/facades/watchers.ts';
import type { FacadeTable } from '../../facade.ts';
import { CloudOfModel } from '../../watchers/cloud-of-model.ts';
import { ControllerNews } from '../../watchers/remote-news.ts';
import { watcherTable } from '../shared/watched.ts';

/** Any caller may ask its own watchers: a watcher belongs to its connection, which ends when access is lost. */
export const notifyWatcher = watcherTable('anyone', CloudOfModel, ControllerNews) satisfies FacadeTable<
  typeof spec
>;
