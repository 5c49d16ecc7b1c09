import { JujuError, permissionDenied } from '../../../core/errors.ts';
import type { action as spec } from '../../../wire/facades/action.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { mustGet, type Tx } from '../../transactions/tx.ts';
import { changeModel } from '../shared/change-model.ts';
import { modelAccess } from '../shared/model-access.ts';
import { ParameterCheck } from './check-parameters.ts';
import { enqueuePlanned, planned } from './enqueue-planned.ts';
import { receiverOf, type Receiver } from './receivers.ts';

type Asked = ParamsOf<typeof spec, 'EnqueueOperation'>['actions'][number];

/**
 * Enqueues one operation with a task for each action that can be run; the errors of the others are reported at their
 * places.
 */
export async function enqueueOperation(
  call: Call,
  params: ParamsOf<typeof spec, 'EnqueueOperation'>,
): Promise<ResultOf<typeof spec, 'EnqueueOperation'>> {
  if (params.actions.length === 0) throw new JujuError('bad request', 'no actions specified');
  const names = [...new Set(params.actions.map((asked) => asked.name))];
  if (names.includes('juju-exec') && modelAccess(call, call.modelUuid) !== 'admin') throw permissionDenied();
  return changeModel(call, (tx) => {
    const check = new ParameterCheck();
    return enqueuePlanned(tx, {
      summary: `${names.join(', ')} run on ${params.actions.map((asked) => asked.receiver).join(',')}`,
      all: params.actions.map((asked) =>
        planned(call, () => {
          const receiver = receiverOf(tx, asked.receiver);
          return {
            ...receiver,
            action: { name: asked.name, parameters: parametersFor(tx, check, receiver, asked) },
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
  asked: Asked,
): Readonly<Record<string, unknown>> {
  const given = asked.parameters ?? {};
  if (asked.name === 'juju-exec') return given;
  const charm =
    receiver.kind === 'unit' ? mustGet(tx, 'charm', mustGet(tx, 'unit', receiver.name).charmUrl) : undefined;
  const action = charm && Object.hasOwn(charm.actions, asked.name) ? charm.actions[asked.name] : undefined;
  if (!action)
    throw new JujuError(
      'not found',
      `action "${asked.name}" not defined on ${receiver.kind} "${receiver.name}"`,
    );
  return check.check(charm!.url, asked.name, action, given);
}
