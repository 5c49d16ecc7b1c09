import type { resources as spec } from '../../../wire/facades/resources.ts';
import type { FacadeTable } from '../../facade.ts';
import { addPendingResources } from './add-pending-resources.ts';
import { listResources } from './list-resources.ts';

export const resources = {
  AddPendingResources: { needs: 'model-write', blockable: 'change', run: addPendingResources },
  ListResources: { needs: 'model-read', run: listResources },
} satisfies FacadeTable<typeof spec>;
