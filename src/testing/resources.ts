/** Applications whose charms declare resources, put directly into a model. */
import { deployApplication } from '../controller/transactions/begin/deploy-application.ts';
import type { Tx } from '../controller/transactions/tx.ts';
import { upload } from './upload.ts';

/** Deploys an application without units; its charm has these resources. */
export function deployed(tx: Tx, name: string, resources: Readonly<Record<string, unknown>>): void {
  deployApplication(tx, {
    name,
    charmUrl: upload(tx, name, { resources }),
    charmOrigin: {},
    base: { name: 'ubuntu', channel: '24.04/stable' },
    numUnits: 0,
    constraints: {},
    placement: [],
    config: {},
    trust: false,
    endpointBindings: {},
  });
}

/** Adds a unit that runs on this machine. */
export function addUnit(tx: Tx, name: string, machine: string): void {
  const application = name.split('/')[0]!;
  tx.put('unit', name, {
    name,
    application,
    life: 'alive',
    machine,
    charmUrl: `local:${application}-0`,
    base: { name: 'ubuntu', channel: '24.04/stable' },
    constraints: {},
    resolved: '',
    ports: {},
    workloadVersion: '',
    deployed: true,
    createdAt: tx.now,
  });
}
