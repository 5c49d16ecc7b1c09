import type { machineManager as spec } from '../../../wire/facades/machine-manager.ts';
import type { FacadeTable } from '../../facade.ts';
import { addMachines } from './add-machines.ts';
import { destroyMachineWithParams } from './destroy-machine-with-params.ts';
import { noInstanceTypes } from '../shared/instance-types.ts';
import { provisioningScript } from './provisioning-script.ts';
import { retryProvisioning } from './retry-provisioning.ts';

export const machineManager = {
  AddMachines: { needs: 'model-write', blockable: 'change', run: addMachines },
  DestroyMachineWithParams: { needs: 'model-write', blockable: 'remove', run: destroyMachineWithParams },
  InstanceTypes: {
    needs: 'model-read',
    run: (call, { constraints }) => noInstanceTypes(call, constraints, () => undefined),
  },
  ProvisioningScript: { needs: 'model-write', blockable: 'change', run: provisioningScript },
  RetryProvisioning: { needs: 'model-write', blockable: 'change', run: retryProvisioning },
} satisfies FacadeTable<typeof spec>;
