import { constraintsFromWire } from '../../../core/constraints.ts';
import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { setConstraints as transaction } from '../../transactions/set-constraints.ts';
import { changeModel } from '../shared/change-model.ts';

export async function setConstraints(
  call: Call,
  params: ParamsOf<typeof spec, 'SetConstraints'>,
): Promise<ResultOf<typeof spec, 'SetConstraints'>> {
  const constraints = constraintsFromWire(params.constraints);
  await changeModel(call, (tx) => transaction(tx, { application: params.application, constraints }));
  return {};
}
