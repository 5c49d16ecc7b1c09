import { JujuError } from '../../../core/errors.ts';
import { isContainerType, machineScope, ownModelScope, type Placement } from '../../../core/placement.ts';
import type { Call } from '../../facade.ts';

/**
 * Reads placements as clients send them: the provider's own directives come under the model's uuid, its name, or
 * `model-uuid` from clients that leave it to the controller. Errors: `not valid` (another model), `not supported`
 * (ssh).
 */
export function readPlacements(call: Call, placements: readonly Placement[]): Placement[] {
  return placements.map((placement) => readPlacement(call, placement));
}

export function readPlacement(call: Call, { scope, directive }: Placement): Placement {
  if (scope === machineScope || isContainerType(scope)) return { scope, directive };
  if (scope === 'ssh')
    throw new JujuError(
      'not supported',
      `cannot use ssh:${directive} as a placement: add the host with 'add-machine ssh:${directive}', then use its machine number`,
    );
  const model = call.read().in('').get('model', call.modelUuid);
  if (scope === call.modelUuid || scope === model?.name || scope === ownModelScope)
    return { scope: call.modelUuid, directive };
  throw new JujuError('not valid', `invalid model name "${scope}"`);
}
