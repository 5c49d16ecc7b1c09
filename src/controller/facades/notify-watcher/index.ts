import type { notifyWatcher as spec } from '../../../wire/facades/watchers.ts';
import type { FacadeTable } from '../../facade.ts';
import { CloudOfModel } from '../../watchers/cloud-of-model.ts';
import { watcherTable } from '../shared/watched.ts';

export const notifyWatcher = watcherTable('login', CloudOfModel) satisfies FacadeTable<typeof spec>;
