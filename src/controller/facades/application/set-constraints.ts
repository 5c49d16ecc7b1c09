import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { setConstraints as transaction } from '../../transactions/set/set-constraints.ts';
import { changeModel } from '../shared/change-model.ts';
import { logWarnings, validConstraints } from '../shared/constraints.ts';

export async function setConstraints(
  call: Call,
  { application, ...params }: ParamsOf<typeof spec, 'SetConstraints'>,
): Promise<ResultOf<typeof spec, 'SetConstraints'>> {
  const { constraints, warnings } = validConstraints(call, params.constraints);
  await changeModel(call, (tx) => transaction(tx, { application, constraints }));
  logWarnings(call, `application "${application}"`, warnings);
  return {};
}
