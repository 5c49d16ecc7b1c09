import { defined } from '../../../core/defined.ts';
import { JujuError } from '../../../core/errors.ts';
import { unitApplication } from '../../../core/names.ts';
import type { OperationDoc } from '../../../core/operation/document.ts';
import type { TaskDoc } from '../../../core/task/document.ts';
import type { action as spec } from '../../../wire/facades/action.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { AnswerSize } from '../shared/answer-size.ts';
import { pauseOf } from '../shared/pause.ts';
import { describeOperation, operationStatus, tasksOf } from './describe-operation.ts';

type Params = ParamsOf<typeof spec, 'ListOperations'>;
type Listed = ResultOf<typeof spec, 'ListOperations'>;
const defaultLimit = 50;

/**
 * Lists operations, newest first: as many as the request asks for and an answer holds. Errors: `quota limit exceeded`
 * when an answer does not hold the first.
 */
export async function listOperations(call: Call, params: Params): Promise<Listed> {
  const matching = await matchingOperations(call, params);
  const offset = Math.max(0, params.offset ?? 0);
  const size = new AnswerSize();
  const results: Listed['results'][number][] = [];
  for (const operation of matching.slice(offset, offset + (params.limit || defaultLimit))) {
    try {
      results.push(await describeOperation(call, operation, size));
    } catch (error) {
      const isFull = error instanceof JujuError && error.code === 'quota limit exceeded';
      if (!isFull || results.length === 0) throw error;
      break;
    }
  }
  return { results, ...defined({ truncated: matching.length > offset + results.length || undefined }) };
}

/** The operations that match any entry of each filter, newest first; an empty filter matches all. */
async function matchingOperations(call: Call, params: Params): Promise<OperationDoc[]> {
  const view = call.read();
  const all = [...view.list('operation')].sort((a, b) => Number(b.id) - Number(a.id));
  const statuses = new Set(params.status);
  const actions = new Set(params.actions);
  const { applications = [], units = [], machines = [] } = params;
  const receivers = new Set([...applications, ...units, ...machines]);
  const isReceiver = ({ receiverKind, receiver }: TaskDoc): boolean =>
    receivers.has(receiver) || (receiverKind === 'unit' && receivers.has(unitApplication(receiver)));
  const isFiltered = [statuses, actions, receivers].some(({ size }) => size > 0);
  if (!isFiltered) return all;
  const pause = pauseOf(call);
  const matching: OperationDoc[] = [];
  for (const operation of all) {
    await pause();
    const tasks = tasksOf(view, operation);
    const matches =
      (statuses.size === 0 || statuses.has(operationStatus(operation, tasks))) &&
      (actions.size === 0 || tasks.some(({ name }) => actions.has(name))) &&
      (receivers.size === 0 || tasks.some(isReceiver));
    if (matches) matching.push(operation);
  }
  return matching;
}
