import type { modelConfig as spec } from '../../../wire/facades/model-config.ts';
import type { FacadeTable } from '../../facade.ts';
import { JujuError, notValid } from '../../../core/errors.ts';
import { getModelConstraints } from './get-model-constraints.ts';
import { modelGet } from './model-get.ts';
import { modelSet } from './model-set.ts';
import { modelUnset } from './model-unset.ts';
import { sequences } from './sequences.ts';
import { setModelConstraints } from './set-model-constraints.ts';

const slaLevels = ['unsupported', 'essential', 'standard', 'advanced'];

/** Sets nothing: the level stays `unsupported`, as no other level is sold. */
function setSlaLevel(level: string): Record<string, never> {
  if (!slaLevels.includes(level)) throw notValid(`SLA level "${level}" not valid`);
  if (level !== 'unsupported') throw new JujuError('not supported', `SLA level "${level}" not supported`);
  return {};
}

export const modelConfig = {
  GetModelConstraints: { needs: 'model-read', run: getModelConstraints },
  ModelGet: { needs: 'model-read', run: modelGet },
  ModelSet: { needs: 'model-write', blockable: 'change', run: modelSet },
  ModelUnset: { needs: 'model-write', blockable: 'change', run: modelUnset },
  SLALevel: { needs: 'model-read', run: () => ({ result: 'unsupported' }) },
  Sequences: { needs: 'model-read', run: sequences },
  SetModelConstraints: { needs: 'model-write', blockable: 'change', run: setModelConstraints },
  SetSLALevel: { needs: 'model-write', blockable: 'never', run: (_call, { level }) => setSlaLevel(level) },
} satisfies FacadeTable<typeof spec>;
