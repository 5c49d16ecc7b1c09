import type { client as spec } from '../../../wire/facades/client.ts';
import { modelAccess } from '../shared/model-access.ts';
import type { Call, ResultOf } from '../../facade.ts';
import { AllWatcher } from '../../watchers/all-watcher.ts';

export function watchAll(call: Call): ResultOf<typeof spec, 'WatchAll'> {
  const watcher = new AllWatcher(call.store, call.modelUuid, call.services, {
    offers: modelAccess(call, call.modelUuid) === 'admin',
  });
  return { 'watcher-id': call.connection.register(watcher) };
}
