import type { subnets as spec } from '../../../wire/facades/subnets.ts';
import type { Call, ResultOf } from '../../facade.ts';

/** The zones in which some machine has been. */
export function allZones(call: Call): ResultOf<typeof spec, 'AllZones'> {
  const names = new Set([...call.read().list('subnet')].flatMap(({ zones }) => zones));
  return { results: [...names].sort().map((name) => ({ name, available: true })) };
}
