import type { controller as spec } from '../../../wire/facades/controller.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { AllModelsWatcher } from '../../watchers/all-models-watcher.ts';
import { CloudOfModel } from '../../watchers/cloud-of-model.ts';
import { ModelSummaries } from '../../watchers/model-summaries.ts';
import { bulk } from '../shared/bulk.ts';
import { callerName, modelOfTag } from '../shared/model-access.ts';
import { pauseOf } from '../shared/pause.ts';

type WatcherId = ResultOf<typeof spec, 'WatchAllModels'>;

/** Begins to watch the entities of all models. */
export function watchAllModels(call: Call): WatcherId {
  return { 'watcher-id': call.connection.register(new AllModelsWatcher(call)) };
}

/** Begins to watch the summaries of the models that are shared with the caller. */
export function watchModelSummaries(call: Call): WatcherId {
  return watchSummaries(call, 'shared');
}

/** Begins to watch the summaries of all models. */
export function watchAllModelSummaries(call: Call): WatcherId {
  return watchSummaries(call, 'all');
}

function watchSummaries(call: Call, models: 'shared' | 'all'): WatcherId {
  const { store, services } = call;
  const watcher = new ModelSummaries(
    { store, services, pause: pauseOf(call) },
    { user: callerName(call), models },
  );
  return { 'watcher-id': call.connection.register(watcher) };
}

/** Begins to watch the cloud and credential of each model. */
export async function watchCloudSpecsChanges(
  call: Call,
  { entities }: ParamsOf<typeof spec, 'WatchCloudSpecsChanges'>,
): Promise<ResultOf<typeof spec, 'WatchCloudSpecsChanges'>> {
  const results = await bulk(call, entities, ({ tag }) => ({
    NotifyWatcherId: call.connection.register(new CloudOfModel(call, modelOfTag(call, tag, 'admin').uuid)),
  }));
  return { results: results.map((result) => ({ NotifyWatcherId: '', ...result })) };
}
