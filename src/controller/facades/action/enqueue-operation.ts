import { JujuError, permissionDenied } from '../../../core/errors.ts';
import type { action as spec } from '../../../wire/facades/action.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import type { PlannedAction } from '../../transactions/begin/enqueue-tasks.ts';
import { defined } from '../../../core/defined.ts';
import { mustGet, type Tx } from '../../transactions/tx.ts';
import { changeModel } from '../shared/change-model.ts';
import { modelAccess } from '../shared/model-access.ts';
import { ParameterCheck } from './check-parameters.ts';
import { enqueuePlanned, planned } from './enqueue-planned.ts';
import { withCommand } from './hidden-command.ts';
import { receiverOf, type Receiver } from './receivers.ts';

type ActionRequest = ParamsOf<typeof spec, 'EnqueueOperation'>['actions'][number];

/**
 * Enqueues one operation with a task for each action that can be run; the errors of the others are reported at their
 * places.
 */
export async function enqueueOperation(
  call: Call,
  params: ParamsOf<typeof spec, 'EnqueueOperation'>,
): Promise<ResultOf<typeof spec, 'EnqueueOperation'>> {
  if (params.actions.length === 0) throw new JujuError('bad request', 'no actions specified');
  const names = [...new Set(params.actions.map((request) => request.name))];
  if (names.includes('juju-exec') && modelAccess(call, call.modelUuid) !== 'admin') throw permissionDenied();
  return changeModel(call, (tx) => {
    const check = new ParameterCheck();
    return enqueuePlanned(tx, {
      summary: `${names.join(', ')} run on ${params.actions.map((request) => request.receiver).join(',')}`,
      all: params.actions.map((request) => {
        const receiver = planned(call, () => receiverOf(tx, request.receiver));
        if ('error' in receiver) return receiver;
        const action = planned(call, () => plannedAction(call, { tx, check, receiver }, request));
        if (!('error' in action)) return { ...receiver, action };
        // Parameters that were refused are not kept: nothing limits their number.
        return { ...action, rejected: { ...receiver, action: { name: request.name, parameters: {} } } };
      }),
    });
  });
}

/** The action with the defaults of its parameters; the request goes before the charm. Errors: `not found`, `not valid`. */
function plannedAction(
  call: Call,
  { tx, check, receiver }: { readonly tx: Tx; readonly check: ParameterCheck; readonly receiver: Receiver },
  request: ActionRequest,
): PlannedAction {
  const { name, parameters = {}, parallel, 'execution-group': executionGroup } = request;
  if (name === 'juju-exec') {
    const beside = parallel ?? receiver.kind === 'machine';
    return { name, ...withCommand(call, parameters), parallel: beside, ...defined({ executionGroup }) };
  }
  const charm =
    receiver.kind === 'unit' ? mustGet(tx, 'charm', mustGet(tx, 'unit', receiver.name).charmUrl) : undefined;
  const action =
    charm && Object.hasOwn(charm.actions, request.name) ? charm.actions[request.name] : undefined;
  if (!action)
    throw new JujuError(
      'not found',
      `action "${request.name}" not defined on ${receiver.kind} "${receiver.name}"`,
    );
  return {
    name,
    parameters: check.check(charm!.url, name, action, parameters),
    parallel: parallel ?? action.parallel,
    executionGroup: executionGroup ?? action.executionGroup,
  };
}
