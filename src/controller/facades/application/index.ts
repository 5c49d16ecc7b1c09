import type { application as spec } from '../../../wire/facades/application.ts';
import type { FacadeTable } from '../../facade.ts';
import { addRelation } from './add-relation.ts';
import { addUnits } from './add-units.ts';
import { getApplicationStorage, updateApplicationStorage } from './application-storage.ts';
import { applicationsInfo } from './applications-info.ts';
import { charmConfig } from './charm-config.ts';
import { charmRelations } from './charm-relations.ts';
import { consume, destroyConsumedApplications } from './consume.ts';
import { deploy } from './deploy.ts';
import { destroyApplication } from './destroy-application.ts';
import { destroyRelation } from './destroy-relation.ts';
import { destroyUnit } from './destroy-unit.ts';
import { expose } from './expose.ts';
import { getCharmURLOrigin } from './get-charm-url-origin.ts';
import { getConfig } from './get-config.ts';
import { getConstraints } from './get-constraints.ts';
import { get } from './get.ts';
import { leader } from './leader.ts';
import { mergeBindings } from './merge-bindings.ts';
import { resolveUnitErrors } from './resolve-unit-errors.ts';
import { asRefresh, setCharm } from './set-charm.ts';
import { setConfigs } from './set-configs.ts';
import { setConstraints } from './set-constraints.ts';
import { setRelationsSuspended } from './set-relations-suspended.ts';
import { unexpose } from './unexpose.ts';
import { unitsInfo } from './units-info.ts';
import { unsetApplicationsConfig } from './unset-applications-config.ts';
import { updateApplicationBase } from './update-application-base.ts';

export const application = {
  AddRelation: { needs: 'model-write', blockable: 'change', run: addRelation },
  AddUnits: { needs: 'model-write', blockable: 'change', run: addUnits },
  ApplicationsInfo: { needs: 'model-read', run: applicationsInfo },
  CharmConfig: { needs: 'model-read', run: charmConfig },
  CharmRelations: { needs: 'model-read', run: charmRelations },
  Consume: { needs: 'model-write', blockable: 'change', run: consume },
  Deploy: { needs: 'model-write', blockable: 'change', run: deploy },
  DestroyApplication: { needs: 'model-write', blockable: 'remove', run: destroyApplication },
  DestroyConsumedApplications: {
    needs: 'model-write',
    blockable: 'remove',
    run: destroyConsumedApplications,
  },
  DestroyRelation: { needs: 'model-write', blockable: 'remove', run: destroyRelation },
  DestroyUnit: { needs: 'model-write', blockable: 'remove', run: destroyUnit },
  Expose: { needs: 'model-write', blockable: 'change', run: expose },
  Get: { needs: 'model-read', run: get },
  GetCharmURLOrigin: { needs: 'model-read', run: getCharmURLOrigin },
  GetConfig: { needs: 'model-read', run: getConfig },
  GetConstraints: { needs: 'model-read', run: getConstraints },
  Leader: { needs: 'model-read', run: leader },
  GetApplicationStorage: { needs: 'model-read', run: getApplicationStorage },
  MergeBindings: { needs: 'model-write', blockable: 'change', run: mergeBindings },
  ResolveUnitErrors: { needs: 'model-write', blockable: 'change', run: resolveUnitErrors },
  SetCharm: { needs: 'model-write', blockable: asRefresh, run: setCharm },
  SetConfigs: { needs: 'model-write', blockable: 'change', run: setConfigs },
  SetConstraints: { needs: 'model-write', blockable: 'change', run: setConstraints },
  SetRelationsSuspended: { needs: 'model-write', blockable: 'change', run: setRelationsSuspended },
  Unexpose: { needs: 'model-write', blockable: 'change', run: unexpose },
  UnitsInfo: { needs: 'model-read', run: unitsInfo },
  UnsetApplicationsConfig: { needs: 'model-write', blockable: 'change', run: unsetApplicationsConfig },
  UpdateApplicationStorage: {
    needs: 'model-write',
    blockable: 'never',
    run: updateApplicationStorage,
  },
  UpdateApplicationBase: { needs: 'model-write', blockable: 'change', run: updateApplicationBase },
} satisfies FacadeTable<typeof spec>;
