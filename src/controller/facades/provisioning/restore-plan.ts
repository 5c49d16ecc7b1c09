import { limits } from '../../../core/limits.ts';
import { planRestore, type AfterRestore, type Difference } from '../../../core/restore/plan-restore.ts';
import type { provisioning as spec } from '../../../wire/facades/provisioning.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { settleRestore } from '../../backups/settle-restore.ts';
import { acceptRestore as accept } from '../../transactions/change/restore.ts';
import { statusOf } from '../../transactions/tx.ts';
import { changeModel } from '../shared/change-model.ts';
import { currentModel } from '../shared/model.ts';

/** Tells what is newer than the backup that the model was restored from, the first of it. */
export function restorePlan(
  call: Call,
  { hooks }: ParamsOf<typeof spec, 'RestorePlan'>,
): ResultOf<typeof spec, 'RestorePlan'> {
  const model = currentModel(call);
  if (!model.restored) return { differences: [], more: 0 };
  const { id, backup, at, state } = model.restored;
  const restored = { id, backup, at, state };
  if (state !== 'held') return { restored, differences: [], more: 0 };
  const differences: Difference[] = [];
  let more = 0;
  for (const one of planRestore(afterRestore(call), hooks))
    if (differences.length < limits.restoreDifferences.max) differences.push(one);
    else more++;
  return { restored, differences, more };
}

function afterRestore(call: Call): AfterRestore {
  const view = call.read();
  return {
    model: currentModel(call),
    strays: view.list('stray'),
    machines: view.list('machine'),
    machine: (id) => view.get('machine', id),
    states: view.list('unit-state'),
    isLost: ({ id, createdAt }) => statusOf(view, 'instance', id, createdAt).status === 'lost',
    isPresent: (machine) => call.services.presence.isPresent(call.modelUuid, machine),
  };
}

export async function acceptRestore(
  call: Call,
  params: ParamsOf<typeof spec, 'AcceptRestore'>,
): Promise<Record<string, never>> {
  await changeModel(call, (tx) => accept(tx, params));
  await settleRestore(call.store, call.modelUuid, call.by);
  call.services.log.info('a restore was accepted', { by: call.by, model: call.modelUuid, ...params });
  return {};
}
