import type { action as spec } from '../../../wire/facades/action.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { enqueueCommand } from './enqueue-command.ts';

export function runOnAllMachines(
  call: Call,
  params: ParamsOf<typeof spec, 'RunOnAllMachines'>,
): Promise<ResultOf<typeof spec, 'RunOnAllMachines'>> {
  return enqueueCommand(call, params, (tx) =>
    [...tx.list('machine')]
      .filter((machine) => machine.life === 'alive')
      .map(({ id }) => () => ({ kind: 'machine', name: id })),
  );
}
