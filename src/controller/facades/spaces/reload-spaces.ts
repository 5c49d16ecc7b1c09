import type { spaces as spec } from '../../../wire/facades/spaces.ts';
import type { Call, ResultOf } from '../../facade.ts';
import { noteSubnets } from '../../transactions/agent/note-subnets.ts';
import { changeModel } from '../shared/change-model.ts';
import { loadSubnets } from '../shared/cloud-subnets.ts';
import { pauseOf } from '../shared/pause.ts';

/** Number of machines that are looked at in one change. */
const batch = 500;

/**
 * Notes the subnets of the cloud, and those of all machines again: what the model could not hold earlier, or an older
 * version did not note. Errors: '' with the cloud's message.
 */
export async function reloadSpaces(call: Call): Promise<ResultOf<typeof spec, 'ReloadSpaces'>> {
  await loadSubnets(call, call.modelUuid);
  const ids = [...call.read().list('machine')].map(({ id }) => id);
  const pause = pauseOf(call);
  for (let start = 0; start < ids.length; start += batch) {
    await pause();
    await changeModel(call, (tx) => {
      for (const id of ids.slice(start, start + batch)) {
        const machine = tx.get('machine', id);
        if (machine) noteSubnets(tx, machine);
      }
    });
  }
  return {};
}
