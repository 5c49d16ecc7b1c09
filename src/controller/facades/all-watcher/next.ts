import type { allWatcher as spec } from '../../../wire/facades/all-watcher.ts';
import type { Delta } from '../../../wire/facades/all-watcher.ts';
import type { Call, ResultOf } from '../../facade.ts';

export async function next(call: Call): Promise<ResultOf<typeof spec, 'Next'>> {
  return (await call.connection.get(call.id).next()) as { deltas: Delta[] };
}
