import type { modelConfig as spec } from '../../../wire/facades/model-config.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { setModelConstraints as transaction } from '../../transactions/set/set-constraints.ts';
import { logWarnings, validConstraints } from '../shared/constraints.ts';
import { currentModel } from '../shared/model.ts';

export async function setModelConstraints(
  call: Call,
  params: ParamsOf<typeof spec, 'SetModelConstraints'>,
): Promise<ResultOf<typeof spec, 'SetModelConstraints'>> {
  const { constraints, warnings } = validConstraints(call, params.constraints);
  const { uuid, name } = currentModel(call);
  await call.store.change((tx) => transaction(tx.in(uuid), { constraints }), call.by);
  logWarnings(call, `model "${name}"`, warnings);
  return {};
}
