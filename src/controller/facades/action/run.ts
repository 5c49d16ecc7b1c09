import type { action as spec } from '../../../wire/facades/action.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import type { Tx } from '../../transactions/tx.ts';
import { mustGet } from '../../transactions/tx.ts';
import { enqueueCommand, type Target } from './enqueue-command.ts';
import { leaderReceiver, unitReceiver, unitReceivers } from './receivers.ts';

type Params = ParamsOf<typeof spec, 'Run'>;

/**
 * Runs a command on units, all placed units of applications, and machines. Errors: `not found` (application, leader).
 */
export function run(call: Call, params: Params): Promise<ResultOf<typeof spec, 'Run'>> {
  return enqueueCommand(call, params, (tx) => targets(tx, params));
}

function targets(tx: Tx, { units = [], applications = [], machines = [] }: Params): Target[] {
  return [
    ...units.map((unit): Target => {
      const leader = leaderReceiver(tx, unit, tx.now);
      return () => leader ?? unitReceiver(tx, unit);
    }),
    ...applications.flatMap((name) =>
      unitReceivers(tx, name).map(
        (one): Target =>
          () =>
            one,
      ),
    ),
    ...machines.map((id): Target => () => ({ kind: 'machine', name: mustGet(tx, 'machine', id).id })),
  ];
}
