import type { controller as spec } from '../../../wire/facades/controller.ts';
import type { FacadeTable } from '../../facade.ts';
import { modelGet } from '../model-config/model-get.ts';
import { modelStatus } from '../model-manager/model-status.ts';
import { allModels } from './all-models.ts';
import { controllerAPIInfoForModels } from './controller-api-info-for-models.ts';
import { controllerConfig } from './controller-config.ts';
import { controllerVersion } from './controller-version.ts';
import { destroyController } from './destroy-controller.ts';
import { getControllerAccess } from './get-controller-access.ts';

export const controller = {
  AllModels: { needs: 'superuser', run: allModels },
  ControllerAPIInfoForModels: { needs: 'login', run: controllerAPIInfoForModels },
  ControllerConfig: { needs: 'login', run: controllerConfig },
  ControllerVersion: { needs: 'login', run: controllerVersion },
  DestroyController: { needs: 'superuser', run: destroyController },
  GetControllerAccess: { needs: 'login', run: getControllerAccess },
  IdentityProviderURL: { needs: 'login', run: () => ({ result: '' }) },
  ListBlockedModels: { needs: 'superuser', run: () => ({ models: [] }) },
  ModelConfig: { needs: 'superuser', run: modelGet },
  ModelStatus: { needs: 'login', run: modelStatus },
  RemoveBlocks: { needs: 'superuser', run: () => ({}) },
} satisfies FacadeTable<typeof spec>;
