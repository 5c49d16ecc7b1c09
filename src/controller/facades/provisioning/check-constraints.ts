import { makeBase } from '../../../core/base.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import type { provisioning as spec } from '../../../wire/facades/provisioning.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { validConstraints } from '../shared/constraints.ts';
import { readPlacements } from '../shared/placement.ts';
import { precheckMachines } from '../shared/precheck.ts';

export async function checkConstraints(
  call: Call,
  params: ParamsOf<typeof spec, 'CheckConstraints'>,
): Promise<ResultOf<typeof spec, 'CheckConstraints'>> {
  const { constraints, warnings } = validConstraints(call, params.constraints);
  if (params.machines) {
    const { base, placement, count } = params.machines;
    checkLimit(limits.unitsAtOnce, count, 'units to be added at once');
    await precheckMachines(call, {
      base: makeBase(base.name, base.channel),
      constraints,
      placement: readPlacements(call, placement),
      count,
    });
  }
  return { warnings };
}
