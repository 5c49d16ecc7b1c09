import { deployApplication } from '../controller/transactions/begin/deploy-application.ts';
import type { Tx } from '../controller/transactions/tx.ts';

/** Deploys an application of the local charm of its own name, revision 0. */
export function deployUnits(tx: Tx, name: string, numUnits = 1): void {
  deployApplication(tx, {
    name,
    charmUrl: `local:${name}-0`,
    charmOrigin: { source: 'local' },
    base: { name: 'ubuntu', channel: '24.04/stable' },
    numUnits,
    constraints: {},
    placement: [],
    config: {},
    trust: false,
    endpointBindings: {},
  });
}
