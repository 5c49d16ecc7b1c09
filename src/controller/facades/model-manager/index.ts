import type { modelManager as spec } from '../../../wire/facades/model-manager.ts';
import type { FacadeTable } from '../../facade.ts';
import { changeModelCredential } from './change-model-credential.ts';
import { createModel } from './create-model.ts';
import { destroyModels } from './destroy-models.ts';
import { listModelSummaries } from './list-model-summaries.ts';
import { listModels } from './list-models.ts';
import { modelDefaultsForClouds, setModelDefaults, unsetModelDefaults } from './model-defaults.ts';
import { modelInfo } from './model-info.ts';
import { modelStatus } from './model-status.ts';

/** ModelManager facade. The owner of models depends on the params: methods with `login` check each model. */
export const modelManager = {
  ChangeModelCredential: { needs: 'login', run: changeModelCredential },
  CreateModel: { needs: 'superuser', run: createModel },
  DestroyModels: { needs: 'login', run: destroyModels },
  ListModelSummaries: { needs: 'login', run: listModelSummaries },
  ListModels: { needs: 'login', run: listModels },
  ModelDefaultsForClouds: { needs: 'superuser', run: modelDefaultsForClouds },
  ModelInfo: { needs: 'login', run: modelInfo },
  ModelStatus: { needs: 'login', run: modelStatus },
  SetModelDefaults: { needs: 'superuser', run: setModelDefaults },
  UnsetModelDefaults: { needs: 'superuser', run: unsetModelDefaults },
} satisfies FacadeTable<typeof spec>;
