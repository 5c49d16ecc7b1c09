import type { action as spec } from '../../../wire/facades/action.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import type { Tx } from '../../transactions/tx.ts';
import { mustGet } from '../../transactions/tx.ts';
import { enqueueCommand } from './enqueue-command.ts';
import { unitReceiver, unitReceivers, type Receiver } from './receivers.ts';

type Params = ParamsOf<typeof spec, 'Run'>;

/** A command on units, all units of applications that are on machines, and machines. */
export function run(call: Call, params: Params): Promise<ResultOf<typeof spec, 'Run'>> {
  return enqueueCommand(call, params, (tx) => receivers(tx, params));
}

function receivers(tx: Tx, { units = [], applications = [], machines = [] }: Params): Receiver[] {
  return [
    ...units.map((unit) => unitReceiver(tx, unit)),
    ...applications.flatMap((name) => unitReceivers(tx, name)),
    ...machines.map((id): Receiver => ({ kind: 'machine', name: mustGet(tx, 'machine', id).id })),
  ];
}
