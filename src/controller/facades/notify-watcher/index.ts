import type { notifyWatcher as spec } from '../../../wire/facades/watchers.ts';
import type { FacadeTable } from '../../facade.ts';
import { CloudOfModel } from '../../watchers/cloud-of-model.ts';
import { ControllerNews } from '../../watchers/remote-news.ts';
import { watcherTable } from '../shared/watched.ts';

/** Whoever began to watch may ask: a watcher is of its connection, which ends when its access is lost. */
export const notifyWatcher = watcherTable('anyone', CloudOfModel, ControllerNews) satisfies FacadeTable<
  typeof spec
>;
