import { constraintsFromWire } from '../../../core/constraints.ts';
import type { modelConfig as spec } from '../../../wire/facades/model-config.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { setModelConstraints as transaction } from '../../transactions/set-constraints.ts';
import { currentModel } from '../shared/model.ts';

export async function setModelConstraints(
  call: Call,
  params: ParamsOf<typeof spec, 'SetModelConstraints'>,
): Promise<ResultOf<typeof spec, 'SetModelConstraints'>> {
  const constraints = constraintsFromWire(params.constraints);
  const { uuid } = currentModel(call);
  await call.store.change((tx) => transaction(tx.in(uuid), { constraints }), call.by);
  return {};
}
