import { JujuError } from '../../../core/errors.ts';
import type { Call } from '../../facade.ts';
import { bulk, type WireError } from './bulk.ts';

/**
 * Tells for each constraints which types of instances a cloud has. No cloud that this controller runs machines on has
 * types: a machine gets the size that is asked for. The answer has Juju's words for such clouds, when `check` finds the
 * cloud.
 */
export async function noInstanceTypes<T>(
  call: Call,
  constraints: readonly T[],
  check: (one: T) => void,
): Promise<{ results: { error: WireError }[] }> {
  return {
    results: await bulk(call, constraints, (one): { error: WireError } => {
      check(one);
      throw new JujuError('not supported', 'InstanceTypes not supported');
    }),
  };
}
