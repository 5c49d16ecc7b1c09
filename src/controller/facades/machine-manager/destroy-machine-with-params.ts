import type { machineManager as spec } from '../../../wire/facades/machine-manager.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { parseTagOf, unitTag } from '../../../wire/tags.ts';
import { destroyMachine } from '../../transactions/destroy-machine.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel, tryInModel } from '../shared/change-model.ts';
import { forceRequest } from '../shared/force.ts';

export async function destroyMachineWithParams(
  call: Call,
  params: ParamsOf<typeof spec, 'DestroyMachineWithParams'>,
): Promise<ResultOf<typeof spec, 'DestroyMachineWithParams'>> {
  const { keep = false, 'dry-run': dryRun = false } = params;
  const run = dryRun ? tryInModel : changeModel;
  return {
    results: await bulk(call, params['machine-tags'], async (tag) => {
      const machine = parseTagOf('machine', tag);
      const { units } = await run(call, (tx) =>
        destroyMachine(tx, { machine, ...forceRequest(call, params), keepInstance: keep }),
      );
      return {
        info: {
          'machine-id': machine,
          ...(units.length > 0 ? { 'destroyed-units': units.map((unit) => ({ tag: unitTag(unit) })) } : {}),
        },
      };
    }),
  };
}
