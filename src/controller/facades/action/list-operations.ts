import type { OperationDoc } from '../../../core/operation/document.ts';
import { unitApplication } from '../../../core/names.ts';
import type { action as spec } from '../../../wire/facades/action.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import type { View } from '../../transactions/tx.ts';
import { describeOperation, operationStatus, tasksOf } from './describe-operation.ts';
import { defined } from '../../../core/defined.ts';

type Params = ParamsOf<typeof spec, 'ListOperations'>;
const defaultLimit = 50;

/** Lists operations, newest first. */
export function listOperations(call: Call, params: Params): ResultOf<typeof spec, 'ListOperations'> {
  const view = call.read();
  const matching = [...view.list('operation')]
    .filter((operation) => matches(view, operation, params))
    .sort((a, b) => Number(b.id) - Number(a.id));
  const offset = Math.max(0, params.offset ?? 0);
  const page = matching.slice(offset, offset + (params.limit || defaultLimit));
  return {
    results: page.map((operation) => describeOperation(view, operation)),
    ...defined({ truncated: matching.length > offset + page.length || undefined }),
  };
}

/** True when the operation matches any entry of each filter; an empty filter matches all. */
function matches(view: View, operation: OperationDoc, params: Params): boolean {
  const tasks = tasksOf(view, operation);
  const onUnits = tasks.filter((task) => task.receiverKind === 'unit').map((task) => task.receiver);
  const onMachines = tasks.filter((task) => task.receiverKind === 'machine').map((task) => task.receiver);
  const matchesAny = (requested: readonly string[] | undefined, present: readonly string[]): boolean =>
    !requested?.length || requested.some((one) => present.includes(one));
  const receivers = [...(params.applications ?? []), ...(params.units ?? []), ...(params.machines ?? [])];
  return (
    matchesAny(params.status, [operationStatus(operation, tasks)]) &&
    matchesAny(
      params.actions,
      tasks.map((task) => task.name),
    ) &&
    matchesAny(receivers, [...onUnits, ...onUnits.map(unitApplication), ...onMachines])
  );
}
