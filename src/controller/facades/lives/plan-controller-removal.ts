import type { EntityRef } from '../../../core/entity-ref.ts';
import { controllerImpediments } from '../../../core/impediments.ts';
import { refuseMigrating } from '../../../core/migration/frozen.ts';
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

/**
 * Plans the removal of the controller. Hosted models are listed also when they are the reason for a refusal. That one
 * is being migrated is told before any other reason: its machines must not be removed without the controller either.
 */
export async function planControllerRemoval(
  call: Call,
  params: ParamsOf<typeof spec, 'PlanControllerRemoval'>,
): Promise<Result> {
  const {
    force = false,
    'destroy-models': destroyModels,
    'destroy-storage': destroyStorage = false,
  } = params;
  const controller = call.read().in('');
  const hosted = controllerImpediments(controller);
  const error = await rehearse(call, (tx) => {
    // A commit would be refused, which a rehearsal does not reach.
    const root = tx.in('');
    if (destroyModels) for (const { id } of hosted) refuseMigrating((kind, key) => root.get(kind, key), id);
    destroyController(root, {
      destroyModels,
      ...forceRequest(call, params),
      ...storageEnd(params['destroy-storage']),
    });
  }).then(
    () => undefined,
    (thrown: unknown) => itemError(call, thrown),
  );
  const planOf = (model: EntityRef): Promise<PlannedRemoval> =>
    planInTurns(controller.in(model.id), [model], {
      force,
      destroyStorage,
      keptInstances: controller.get('model', model.id)?.keptInstances ?? [],
    });
  const models: Result['models'][number][] = [];
  for (const model of hosted) {
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
