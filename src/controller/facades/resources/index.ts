import type { resources as spec } from '../../../wire/facades/resources.ts';
import type { FacadeTable } from '../../facade.ts';
import { listResources } from './list-resources.ts';

export const resources = {
  ListResources: { needs: 'model-read', run: listResources },
} satisfies FacadeTable<typeof spec>;
