import { JujuError, permissionDenied } from '../../../core/errors.ts';
import type { action as spec } from '../../../wire/facades/action.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { modelAccess } from '../shared/model-access.ts';
import { ActionPlanner } from './action-planner.ts';
import { enqueuePlanned } from './enqueue-planned.ts';

/**
 * Enqueues one operation with a task for each action that can be run; the errors of the others are reported at their
 * places.
 */
export async function enqueueOperation(
  call: Call,
  { actions }: ParamsOf<typeof spec, 'EnqueueOperation'>,
): Promise<ResultOf<typeof spec, 'EnqueueOperation'>> {
  if (actions.length === 0) throw new JujuError('bad request', 'no actions specified');
  const names = [...new Set(actions.map((request) => request.name))];
  const check = (state = call.read()): void => {
    if (names.includes('juju-exec') && modelAccess(call, call.modelUuid, state) !== 'admin')
      throw permissionDenied();
  };
  check();
  const summary = `${names.join(', ')} run on ${actions.map((request) => request.receiver).join(',')}`;
  const planner = new ActionPlanner(call, actions);
  await planner.prepare();
  return enqueuePlanned(call, planner.seal, (tx) => {
    check(tx);
    return { summary, all: planner.plan(tx, tx.now) };
  });
}
