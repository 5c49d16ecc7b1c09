import type { provisioning as spec } from '../../../wire/facades/provisioning.ts';
import type { FacadeTable } from '../../facade.ts';
import { checkConstraints } from './check-constraints.ts';
import { retryMachines } from './retry-machines.ts';

export const provisioning = {
  CheckConstraints: { needs: 'model-read', run: checkConstraints },
  RetryMachines: { needs: 'model-write', run: retryMachines },
} satisfies FacadeTable<typeof spec>;
