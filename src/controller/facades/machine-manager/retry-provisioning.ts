import { hasCode } from '../../../core/errors.ts';
import type { machineManager as spec } from '../../../wire/facades/machine-manager.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import { failedToStart, retryProvisioning as transaction } from '../../transactions/retry-provisioning.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';

/** All that failed, or those named; unknown ones are passed over, as Juju does. */
export async function retryProvisioning(
  call: Call,
  params: ParamsOf<typeof spec, 'RetryProvisioning'>,
): Promise<ResultOf<typeof spec, 'RetryProvisioning'>> {
  const ids = params.all
    ? failedToStart(call.read())
    : (params.machines ?? []).map((tag) => parseTagOf('machine', tag));
  return {
    results: await bulk(call, ids, async (machine) => {
      try {
        await changeModel(call, (tx) => transaction(tx, { machine }));
      } catch (error) {
        if (!hasCode(error, 'not found')) throw error;
      }
      return {};
    }),
  };
}
