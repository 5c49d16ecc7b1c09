import type { lives as spec } from '../../../wire/facades/lives.ts';
import type { FacadeTable } from '../../facade.ts';
import { planControllerRemoval } from './plan-controller-removal.ts';
import { planModelRemoval } from './plan-model-removal.ts';
import { planRemoval } from './plan-removal.ts';
import { explain } from './explain.ts';
import { explainUser } from './explain-user.ts';
import { removals } from './removals.ts';
import { history } from './history.ts';
import { statusAt } from './status-at.ts';

export const lives = {
  Explain: { needs: 'model-read', run: explain },
  ExplainUser: { needs: 'login', run: explainUser },
  History: { needs: 'model-read', run: history },
  PlanControllerRemoval: { needs: 'superuser', run: planControllerRemoval },
  PlanModelRemoval: { needs: 'login', run: planModelRemoval },
  // The plan needs the same access as the removal: the answer tells whether the removal would be accepted.
  PlanRemoval: { needs: 'model-write', blockable: 'remove', run: planRemoval },
  Removals: { needs: 'model-read', run: removals },
  StatusAt: { needs: 'model-read', run: statusAt },
} satisfies FacadeTable<typeof spec>;
