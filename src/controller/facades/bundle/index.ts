import type { bundle as spec } from '../../../wire/facades/bundle.ts';
import type { FacadeTable } from '../../facade.ts';
import { exportBundle } from './export-bundle.ts';

export const bundle = {
  ExportBundle: { needs: 'model-read', run: exportBundle },
} satisfies FacadeTable<typeof spec>;
