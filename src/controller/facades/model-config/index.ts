import type { modelConfig as spec } from '../../../wire/facades/model-config.ts';
import type { FacadeTable } from '../../facade.ts';
import { getModelConstraints } from './get-model-constraints.ts';
import { modelGet } from './model-get.ts';
import { modelSet } from './model-set.ts';
import { modelUnset } from './model-unset.ts';
import { sequences } from './sequences.ts';
import { setModelConstraints } from './set-model-constraints.ts';

export const modelConfig = {
  GetModelConstraints: { needs: 'model-read', run: getModelConstraints },
  ModelGet: { needs: 'model-read', run: modelGet },
  ModelSet: { needs: 'model-admin', run: modelSet },
  ModelUnset: { needs: 'model-admin', run: modelUnset },
  SLALevel: { needs: 'model-read', run: () => ({ result: 'unsupported' }) },
  Sequences: { needs: 'model-read', run: sequences },
  SetModelConstraints: { needs: 'model-write', run: setModelConstraints },
} satisfies FacadeTable<typeof spec>;
