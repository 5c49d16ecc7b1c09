import { changeConstraints, type SpaceChange } from '../../../core/network/space-uses.ts';
import type { Call } from '../../facade.ts';
import { endRename } from '../../transactions/set/rename-space.ts';
import { changeMachines } from '../../transactions/shared/spaces.ts';
import { changeModel } from './change-model.ts';
import { pauseOf } from './pause.ts';

/** Number of machines in one change. */
const batch = 500;

/** Changes the constraints of machines that run, after the change of the space itself (networks.md#renamed-space). */
export async function followSpace(call: Call, change: SpaceChange): Promise<void> {
  const pause = pauseOf(call);
  let ids: string[] = [];
  const flush = async (): Promise<void> => {
    const some = ids;
    ids = [];
    await changeModel(call, (tx) => changeMachines(tx, some, change));
  };
  for (const { id, constraints } of call.read().list('machine')) {
    await pause();
    if (changeConstraints(constraints, change) === constraints) continue;
    ids.push(id);
    if (ids.length === batch) await flush();
  }
  if (ids.length > 0) await flush();
  const { to } = change;
  if (to !== undefined) await changeModel(call, (tx) => endRename(tx, to));
}

/** Ends a rename of the space that somebody's request began and did not end. */
export async function finishRename(call: Call, name: string): Promise<void> {
  const from = call.read().get('space', name)?.formerly;
  if (from !== undefined) await followSpace(call, { from, to: name });
}
