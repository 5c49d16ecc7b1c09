import type { machineManager as spec } from '../../../wire/facades/machine-manager.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { retryMachines } from '../provisioning/retry-machines.ts';

/**
 * Retries the start of machines. Machines that do not exist, which Juju ignores, are `not found`, so that nobody waits
 * for them.
 */
export async function retryProvisioning(
  call: Call,
  params: ParamsOf<typeof spec, 'RetryProvisioning'>,
): Promise<ResultOf<typeof spec, 'RetryProvisioning'>> {
  const { results } = await retryMachines(call, params);
  return { results: results.map(({ error }) => (error ? { error } : {})) };
}
