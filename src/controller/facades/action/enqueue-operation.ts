import { JujuError, permissionDenied } from '../../../core/errors.ts';
import type { action as spec } from '../../../wire/facades/action.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { mustGet, type Tx } from '../../transactions/tx.ts';
import { changeModel } from '../shared/change-model.ts';
import { modelAccess } from '../shared/model-access.ts';
import { ParameterCheck } from './check-parameters.ts';
import { enqueuePlanned, planned } from './enqueue-planned.ts';
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
      all: params.actions.map((request) =>
        planned(call, () => {
          const receiver = receiverOf(tx, request.receiver);
          return {
            ...receiver,
            action: { name: request.name, parameters: parametersFor(tx, check, receiver, request) },
          };
        }),
      ),
    });
  });
}

/** Parameters of an action with its defaults. Errors: `not found`, `not valid`. */
function parametersFor(
  tx: Tx,
  check: ParameterCheck,
  receiver: Receiver,
  request: ActionRequest,
): Readonly<Record<string, unknown>> {
  const parameters = request.parameters ?? {};
  if (request.name === 'juju-exec') return parameters;
  const charm =
    receiver.kind === 'unit' ? mustGet(tx, 'charm', mustGet(tx, 'unit', receiver.name).charmUrl) : undefined;
  const action =
    charm && Object.hasOwn(charm.actions, request.name) ? charm.actions[request.name] : undefined;
  if (!action)
    throw new JujuError(
      'not found',
      `action "${request.name}" not defined on ${receiver.kind} "${receiver.name}"`,
    );
  return check.check(charm!.url, request.name, action, parameters);
}
