import type { modelSummaryWatcher as spec } from '../../../wire/facades/watchers.ts';
import type { FacadeTable } from '../../facade.ts';
import { ModelSummaries } from '../../watchers/model-summaries.ts';
import { watcherTable } from '../shared/watched.ts';

export const modelSummaryWatcher = watcherTable('login', ModelSummaries) satisfies FacadeTable<typeof spec>;
