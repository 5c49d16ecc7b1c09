import type { bundle as spec } from '../../../wire/facades/bundle.ts';
import type { FacadeTable } from '../../facade.ts';
import { exportBundle } from './export-bundle.ts';
import { getChanges, getChangesMapArgs } from './get-changes-map-args.ts';

export const bundle = {
  ExportBundle: { needs: 'model-read', run: exportBundle },
  GetChanges: { needs: 'model-read', run: getChanges },
  GetChangesMapArgs: { needs: 'model-read', run: getChangesMapArgs },
} satisfies FacadeTable<typeof spec>;
