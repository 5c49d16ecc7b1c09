import type { annotations as spec } from '../../../wire/facades/annotations.ts';
import type { FacadeTable } from '../../facade.ts';
import { get } from './get.ts';
import { set } from './set.ts';

export const annotations = {
  Get: { needs: 'model-read', run: get },
  Set: { needs: 'model-write', blockable: 'never', run: set },
} satisfies FacadeTable<typeof spec>;
