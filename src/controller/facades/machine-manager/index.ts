import type { machineManager as spec } from '../../../wire/facades/machine-manager.ts';
import type { FacadeTable } from '../../facade.ts';
import { addMachines } from './add-machines.ts';
import { destroyMachineWithParams } from './destroy-machine-with-params.ts';
import { provisioningScript } from './provisioning-script.ts';
import { retryProvisioning } from './retry-provisioning.ts';

export const machineManager = {
  AddMachines: { needs: 'model-write', run: addMachines },
  DestroyMachineWithParams: { needs: 'model-write', run: destroyMachineWithParams },
  ProvisioningScript: { needs: 'model-write', run: provisioningScript },
  RetryProvisioning: { needs: 'model-write', run: retryProvisioning },
} satisfies FacadeTable<typeof spec>;
