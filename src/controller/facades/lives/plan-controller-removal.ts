import type { EntityRef } from '../../../core/entity-ref.ts';
import { controllerImpediments } from '../../../core/impediments.ts';
import type { lives as spec } from '../../../wire/facades/lives.ts';
import type { PlannedRemoval } from '../../../wire/facades/removal-plan.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { destroyController } from '../../transactions/end/destroy-controller.ts';
import { itemError } from '../shared/bulk.ts';
import { rehearse } from '../shared/change-model.ts';
import { forceRequest, storageEnd } from '../shared/force.ts';
import { planInTurns } from './plan-in-turns.ts';
import { defined } from '../../../core/defined.ts';

type Result = ResultOf<typeof spec, 'PlanControllerRemoval'>;

/** Plans the removal of the controller. Hosted models are listed also when they are the reason for a refusal. */
export async function planControllerRemoval(
  call: Call,
  params: ParamsOf<typeof spec, 'PlanControllerRemoval'>,
): Promise<Result> {
  const { force = false, 'destroy-storage': destroyStorage = false } = params;
  const error = await rehearse(call, (tx) =>
    destroyController(tx.in(''), {
      destroyModels: params['destroy-models'],
      ...forceRequest(call, params),
      ...storageEnd(params['destroy-storage']),
    }),
  ).then(
    () => undefined,
    (thrown: unknown) => itemError(call, thrown),
  );
  const controller = call.read().in('');
  const planOf = (model: EntityRef): Promise<PlannedRemoval> =>
    planInTurns(controller.in(model.id), [model], {
      force,
      destroyStorage,
      keptInstances: controller.get('model', model.id)?.keptInstances ?? [],
    });
  const models: Result['models'][number][] = [];
  for (const model of controllerImpediments(controller)) {
    const doc = controller.get('model', model.id);
    if (doc) models.push({ name: `${doc.owner}/${doc.name}`, plan: await planOf(model) });
  }
  const controllerPlan = await planOf({
    kind: 'model',
    id: controller.get('controller', 'self')?.modelUuid ?? '',
  });
  // The rest of the controller's own model goes with the controller, once the hosted ones are gone.
  return { ...defined({ error }), models, 'controller-model': { ...controllerPlan, waits: [] } };
}
