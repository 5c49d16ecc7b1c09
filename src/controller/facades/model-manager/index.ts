import type { modelManager as spec } from '../../../wire/facades/model-manager.ts';
import type { FacadeTable } from '../../facade.ts';
import { changeModelCredential } from './change-model-credential.ts';
import { createModel } from './create-model.ts';
import { destroyModels } from './destroy-models.ts';
import { dumpModels, dumpModelsDb } from './dump-models.ts';
import { listModelSummaries } from './list-model-summaries.ts';
import { listModels } from './list-models.ts';
import { modelDefaultsForClouds, setModelDefaults, unsetModelDefaults } from './model-defaults.ts';
import { modelInfo } from './model-info.ts';
import { modifyModelAccess } from './modify-model-access.ts';
import { modelStatus } from './model-status.ts';

/** ModelManager facade. The owner of models depends on the params: methods with `login` check each model. */
export const modelManager = {
  ChangeModelCredential: { needs: 'login', blockable: 'change', run: changeModelCredential },
  CreateModel: { needs: 'login', run: createModel },
  DestroyModels: { needs: 'login', run: destroyModels },
  DumpModels: { needs: 'login', run: dumpModels },
  DumpModelsDB: { needs: 'login', run: dumpModelsDb },
  ListModelSummaries: { needs: 'login', run: listModelSummaries },
  ListModels: { needs: 'login', run: listModels },
  ModelDefaultsForClouds: { needs: 'superuser', run: modelDefaultsForClouds },
  ModelInfo: { needs: 'login', run: modelInfo },
  ModelStatus: { needs: 'login', run: modelStatus },
  ModifyModelAccess: { needs: 'login', run: modifyModelAccess },
  SetModelDefaults: { needs: 'superuser', blockable: 'change', run: setModelDefaults },
  UnsetModelDefaults: { needs: 'superuser', blockable: 'change', run: unsetModelDefaults },
} satisfies FacadeTable<typeof spec>;
