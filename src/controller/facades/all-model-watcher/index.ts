import { permissionDenied } from '../../../core/errors.ts';
import type { allModelWatcher as spec } from '../../../wire/facades/watchers.ts';
import type { Call, FacadeTable, ResultOf } from '../../facade.ts';
import { activeUser } from '../../server/access.ts';
import { AllModelsWatcher } from '../../watchers/all-models-watcher.ts';
import { callerName } from '../shared/model-access.ts';
import { stopWatcher, watcherOf } from '../shared/watched.ts';

export const allModelWatcher = {
  Next: { needs: 'superuser', run: next },
  Stop: { needs: 'superuser', run: stopWatcher },
} satisfies FacadeTable<typeof spec>;

/** Waits for news. A user who has ceased to be a superuser meanwhile gets none. */
async function next(call: Call): Promise<ResultOf<typeof spec, 'Next'>> {
  const news = await watcherOf(call, AllModelsWatcher).next();
  if (activeUser(call.read(), callerName(call))?.access !== 'superuser') throw permissionDenied();
  return news;
}
