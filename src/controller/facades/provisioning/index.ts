import type { provisioning as spec } from '../../../wire/facades/provisioning.ts';
import type { FacadeTable } from '../../facade.ts';
import { bases } from './bases.ts';
import { checkConstraints } from './check-constraints.ts';
import { reprovisionMachines } from './reprovision-machines.ts';
import { retryMachines } from './retry-machines.ts';
import { straysOf } from '../shared/strays.ts';

export const provisioning = {
  Bases: { needs: 'model-read', run: bases },
  CheckConstraints: { needs: 'model-write', blockable: 'never', run: checkConstraints },
  ReprovisionMachines: { needs: 'model-write', blockable: 'change', run: reprovisionMachines },
  RetryMachines: { needs: 'model-write', blockable: 'change', run: retryMachines },
  Strays: { needs: 'model-read', run: (call) => straysOf(call.read()) },
} satisfies FacadeTable<typeof spec>;
