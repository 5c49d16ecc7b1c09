import type { requirements as spec } from '../../../wire/facades/requirements.ts';
import type { FacadeTable } from '../../facade.ts';
import { graph } from './graph.ts';
import { pending } from './pending.ts';

export const requirements = {
  Graph: { needs: 'model-read', run: graph },
  Pending: { needs: 'model-read', run: pending },
} satisfies FacadeTable<typeof spec>;
