import type { modelSummaryWatcher as spec } from '../../../wire/facades/watchers.ts';
import type { FacadeTable } from '../../facade.ts';
import { ModelSummaries } from '../../watchers/model-summaries.ts';
import { stopWatcher, watcherOf } from '../shared/watched.ts';

export const modelSummaryWatcher = {
  Next: { needs: 'login', run: (call) => watcherOf(call, ModelSummaries).next() },
  Stop: { needs: 'login', run: stopWatcher },
} satisfies FacadeTable<typeof spec>;
