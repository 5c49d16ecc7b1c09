import type { provisioning as spec } from '../../../wire/facades/provisioning.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { validConstraints } from '../shared/constraints.ts';

export function checkConstraints(
  call: Call,
  params: ParamsOf<typeof spec, 'CheckConstraints'>,
): ResultOf<typeof spec, 'CheckConstraints'> {
  return { warnings: validConstraints(call, params.constraints).warnings };
}
