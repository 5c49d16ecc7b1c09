/** Gates in the store. */
import { defined } from '../../../core/defined.ts';
import { refuseCircle, type GateGraph } from '../../../core/gates/circle.ts';
import { closedGates, type Gates } from '../../../core/gates/gate.ts';
import type { Tx, View } from '../tx.ts';

/**
 * The gates of an application, as checkAfter has returned what was asked for; those that were open stay so. undefined =
 * none. Errors: those of refuseCircle.
 */
export function newGates(
  tx: Tx,
  name: string,
  after: Readonly<Record<string, string>>,
  before: Gates = {},
): Gates | undefined {
  const gates = Object.fromEntries(
    Object.entries(after).map(([application, health]) => {
      const known = Object.hasOwn(before, application) ? before[application] : undefined;
      return [application, { health, ...defined({ opened: known?.opened }) }];
    }),
  );
  const closed = closedGates(gates).map(({ application }) => application);
  refuseCircle(name, closed, gateGraph(tx));
  return Object.keys(gates).length > 0 ? gates : undefined;
}

function gateGraph(view: View): GateGraph {
  return {
    after: (name) => closedGates(view.get('application', name)?.after).map(({ application }) => application),
    *before(name) {
      for (const one of view.find('application', 'after', name)) yield one.name;
    },
  };
}
