import type { machineManager as spec } from '../../../wire/facades/machine-manager.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { destroyMachine } from '../../transactions/end/destroy-machine.ts';
import type { View } from '../../transactions/tx.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel, rehearse } from '../shared/change-model.ts';
import { destroyedWith, warned, type DestroyedInfo } from '../shared/destroyed.ts';
import { forceRequest } from '../shared/force.ts';
import { defined } from '../../../core/defined.ts';

export async function destroyMachineWithParams(
  call: Call,
  params: ParamsOf<typeof spec, 'DestroyMachineWithParams'>,
): Promise<ResultOf<typeof spec, 'DestroyMachineWithParams'>> {
  const { keep: keepInstance = false, 'dry-run': dryRun = false } = params;
  const run = dryRun ? rehearse : changeModel;
  return {
    results: await bulk(call, params['machine-tags'], async (tag) => {
      const machine = parseTagOf('machine', tag);
      const view = call.read();
      const containers: { info: MachineInfo }[] = [];
      for (const id of containersOf(view, machine)) containers.push({ info: await infoOf(view, id) });
      const info = {
        ...(await infoOf(view, machine)),
        ...defined({ 'destroyed-containers': containers.length > 0 ? containers : undefined }),
      };
      const outcome = await run(call, (tx) =>
        destroyMachine(tx, { machine, ...forceRequest(call, params), keepInstance }),
      );
      return { info, ...warned(outcome) };
    }),
  };
}

type MachineInfo = DestroyedInfo & { readonly 'machine-id': string };

/** Describes what goes with the machine. A removed machine's storage is not destroyed, as in Juju. */
async function infoOf(view: View, machine: string): Promise<MachineInfo> {
  const units = view.find('unit', 'machine', machine);
  return { 'machine-id': machine, ...(await destroyedWith(view, units, { destroyStorage: false })) };
}

function containersOf(view: View, machine: string): string[] {
  return [...view.find('machine', 'parent', machine)].flatMap(({ id }) => [id, ...containersOf(view, id)]);
}
