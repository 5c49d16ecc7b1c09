import type { controller as spec } from '../../../wire/facades/controller.ts';
import type { FacadeTable } from '../../facade.ts';
import { modelGet } from '../model-config/model-get.ts';
import { initiateMigration } from './initiate-migration.ts';
import { listBlockedModels } from './list-blocked-models.ts';
import { removeBlocks } from './remove-blocks.ts';
import { modelStatus } from '../model-manager/model-status.ts';
import { allModels } from './all-models.ts';
import { cloudSpec, hostedModelConfigs } from './cloud-spec.ts';
import { configSet } from './config-set.ts';
import { controllerAPIInfoForModels } from './controller-api-info-for-models.ts';
import { controllerConfig } from './controller-config.ts';
import { controllerVersion } from './controller-version.ts';
import { dashboardConnectionInfo } from './dashboard-connection-info.ts';
import { destroyController } from './destroy-controller.ts';
import { getControllerAccess } from './get-controller-access.ts';
import { modifyControllerAccess } from './modify-controller-access.ts';
import {
  watchAllModels,
  watchAllModelSummaries,
  watchCloudSpecsChanges,
  watchModelSummaries,
} from './watch-models.ts';

export const controller = {
  AllModels: { needs: 'superuser', run: allModels },
  CloudSpec: { needs: 'superuser', run: cloudSpec },
  ConfigSet: { needs: 'superuser', run: configSet },
  ControllerAPIInfoForModels: { needs: 'login', run: controllerAPIInfoForModels },
  ControllerConfig: { needs: 'login', run: controllerConfig },
  ControllerVersion: { needs: 'login', run: controllerVersion },
  DashboardConnectionInfo: { needs: 'login', run: dashboardConnectionInfo },
  DestroyController: { needs: 'superuser', run: destroyController },
  GetControllerAccess: { needs: 'login', run: getControllerAccess },
  HostedModelConfigs: { needs: 'superuser', run: hostedModelConfigs },
  IdentityProviderURL: { needs: 'login', run: () => ({ result: '' }) },
  InitiateMigration: { needs: 'superuser', run: initiateMigration },
  ListBlockedModels: { needs: 'superuser', run: listBlockedModels },
  ModelConfig: { needs: 'superuser', run: modelGet },
  ModifyControllerAccess: { needs: 'superuser', run: modifyControllerAccess },
  ModelStatus: { needs: 'login', run: modelStatus },
  RemoveBlocks: { needs: 'superuser', run: removeBlocks },
  WatchAllModels: { needs: 'superuser', run: watchAllModels },
  WatchAllModelSummaries: { needs: 'superuser', run: watchAllModelSummaries },
  WatchCloudSpecsChanges: { needs: 'superuser', run: watchCloudSpecsChanges },
  WatchModelSummaries: { needs: 'login', run: watchModelSummaries },
} satisfies FacadeTable<typeof spec>;
