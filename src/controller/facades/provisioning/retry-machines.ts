import type { provisioning as spec } from '../../../wire/facades/provisioning.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { machineTag, parseTagOf } from '../../../wire/tags.ts';
import { failedToStart, retryProvisioning } from '../../transactions/instance/retry-provisioning.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';
import { logWarnings, validConstraints } from '../shared/constraints.ts';
import { precheckMachine } from '../shared/precheck.ts';
import { defined } from '../../../core/defined.ts';

export async function retryMachines(
  call: Call,
  params: ParamsOf<typeof spec, 'RetryMachines'>,
): Promise<ResultOf<typeof spec, 'RetryMachines'>> {
  const checked = params.constraints && validConstraints(call, params.constraints);
  const tags = params.all ? failedToStart(call.read()).map(machineTag) : (params.machines ?? []);
  const results = await bulk(call, tags, async (tag) => {
    const machine = parseTagOf('machine', tag);
    if (checked) await precheckMachine(call, machine, checked.constraints);
    await changeModel(call, (tx) =>
      retryProvisioning(tx, { machine, ...defined({ constraints: checked?.constraints }) }),
    );
    return {};
  });
  logWarnings(call, tags.join(', '), checked?.warnings ?? []);
  return { results: results.map((result, i) => ({ machine: tags[i]!, ...result })) };
}
