import { JujuError } from '../../../core/errors.ts';
import { mergedModelConfig } from '../../../core/model/config.ts';
import type { RemovalTarget } from '../../../core/removal/plan.ts';
import type { lives as spec } from '../../../wire/facades/lives.ts';
import { parseTag } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { findRelation } from '../../transactions/begin/find-relation.ts';
import { mustGet } from '../../transactions/tx.ts';
import { itemError } from '../shared/bulk.ts';
import { currentModel } from '../shared/model.ts';
import { pendingAfter } from './pending-after.ts';
import { planInTurns } from './plan-in-turns.ts';

type Target = ParamsOf<typeof spec, 'PlanRemoval'>['targets'][number];

/** Plans removals; targets outside of the model are refused at their places. */
export async function planRemoval(
  call: Call,
  params: ParamsOf<typeof spec, 'PlanRemoval'>,
): Promise<ResultOf<typeof spec, 'PlanRemoval'>> {
  const { force = false, keep: keepInstance = false, 'destroy-storage': destroyStorage = false } = params;
  const found = params.targets.map((target): RemovalTarget | { error: ReturnType<typeof itemError> } => {
    try {
      return targetOf(call, target);
    } catch (error) {
      return { error: itemError(call, error) };
    }
  });
  const harvest = mergedModelConfig(currentModel(call).config)['provisioner-harvest-mode'];
  const plan = await planInTurns(
    call.read(),
    found.filter((one) => 'kind' in one),
    { force, keepInstance, destroyStorage, harvest },
  );
  const planned = plan.targets.values();
  const pending = pendingAfter(call.read(), plan);
  return { ...plan, ...pending, targets: found.map((one) => ('error' in one ? one : planned.next().value!)) };
}

function targetOf(
  call: Call,
  { tag, endpoints, 'relation-id': id, 'once-empty': onceEmpty = false }: Target,
): RemovalTarget {
  if (tag === undefined) {
    const relation = findRelation(call.read(), endpoints ? { endpoints } : { id: id ?? 0 });
    return { kind: 'relation', id: String(relation.id) };
  }
  const { kind, id: name } = parseTag(tag);
  if (kind !== 'application' && kind !== 'machine' && kind !== 'unit')
    throw new JujuError('not valid', `"${tag}" is not the tag of an application, machine or unit`);
  mustGet(call.read(), kind, name);
  return { kind, id: name, onceEmpty };
}
