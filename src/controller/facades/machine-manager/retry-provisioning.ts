import type { machineManager as spec } from '../../../wire/facades/machine-manager.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { retryMachines } from '../provisioning/retry-machines.ts';

/** Juju passes over machines that do not exist; here they are `not found`, so that nobody waits for them. */
export async function retryProvisioning(
  call: Call,
  params: ParamsOf<typeof spec, 'RetryProvisioning'>,
): Promise<ResultOf<typeof spec, 'RetryProvisioning'>> {
  const { results } = await retryMachines(call, params);
  return { results: results.map(({ error }) => (error ? { error } : {})) };
}
