import type { provisioning as spec } from '../../../wire/facades/provisioning.ts';
import type { FacadeTable } from '../../facade.ts';
import { bases } from './bases.ts';
import { checkConstraints } from './check-constraints.ts';
import { reprovisionMachines } from './reprovision-machines.ts';
import { acceptRestore, restorePlan } from './restore-plan.ts';
import { retryMachines } from './retry-machines.ts';
import { straysOf } from '../shared/strays.ts';

export const provisioning = {
  AcceptRestore: { needs: 'model-admin', blockable: 'never', run: acceptRestore },
  Bases: { needs: 'model-read', run: bases },
  CheckConstraints: { needs: 'model-write', blockable: 'never', run: checkConstraints },
  ReprovisionMachines: { needs: 'model-write', blockable: 'change', run: reprovisionMachines },
  RestorePlan: { needs: 'model-read', run: restorePlan },
  RetryMachines: { needs: 'model-write', blockable: 'change', run: retryMachines },
  Strays: { needs: 'model-read', run: (call) => straysOf(call.read()) },
} satisfies FacadeTable<typeof spec>;
