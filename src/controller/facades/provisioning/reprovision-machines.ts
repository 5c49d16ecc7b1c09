import type { provisioning as spec } from '../../../wire/facades/provisioning.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { reprovisionMachine } from '../../transactions/instance/reprovision-machine.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';

export async function reprovisionMachines(
  call: Call,
  { machines, force = false }: ParamsOf<typeof spec, 'ReprovisionMachines'>,
): Promise<ResultOf<typeof spec, 'ReprovisionMachines'>> {
  const { presence } = call.services;
  return {
    results: await bulk(call, machines, async (tag) => {
      const machine = parseTagOf('machine', tag);
      await changeModel(call, (tx) =>
        reprovisionMachine(tx, { machine, present: presence.isPresent(call.modelUuid, machine), force }),
      );
      return {};
    }),
  };
}
