import type { application as spec } from '../../../wire/facades/application.ts';
import type { FacadeTable } from '../../facade.ts';
import { addRelation } from './add-relation.ts';
import { addUnits } from './add-units.ts';
import { applicationsInfo } from './applications-info.ts';
import { charmConfig } from './charm-config.ts';
import { charmRelations } from './charm-relations.ts';
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
import { setCharm } from './set-charm.ts';
import { setConfigs } from './set-configs.ts';
import { setConstraints } from './set-constraints.ts';
import { unexpose } from './unexpose.ts';
import { unitsInfo } from './units-info.ts';
import { unsetApplicationsConfig } from './unset-applications-config.ts';
import { updateApplicationBase } from './update-application-base.ts';

export const application = {
  AddRelation: { needs: 'model-write', run: addRelation },
  AddUnits: { needs: 'model-write', run: addUnits },
  ApplicationsInfo: { needs: 'model-read', run: applicationsInfo },
  CharmConfig: { needs: 'model-read', run: charmConfig },
  CharmRelations: { needs: 'model-read', run: charmRelations },
  Deploy: { needs: 'model-write', run: deploy },
  DestroyApplication: { needs: 'model-write', run: destroyApplication },
  DestroyRelation: { needs: 'model-write', run: destroyRelation },
  DestroyUnit: { needs: 'model-write', run: destroyUnit },
  Expose: { needs: 'model-write', run: expose },
  Get: { needs: 'model-read', run: get },
  GetCharmURLOrigin: { needs: 'model-read', run: getCharmURLOrigin },
  GetConfig: { needs: 'model-read', run: getConfig },
  GetConstraints: { needs: 'model-read', run: getConstraints },
  Leader: { needs: 'model-read', run: leader },
  MergeBindings: { needs: 'model-write', run: mergeBindings },
  ResolveUnitErrors: { needs: 'model-write', run: resolveUnitErrors },
  SetCharm: { needs: 'model-write', run: setCharm },
  SetConfigs: { needs: 'model-write', run: setConfigs },
  SetConstraints: { needs: 'model-write', run: setConstraints },
  Unexpose: { needs: 'model-write', run: unexpose },
  UnitsInfo: { needs: 'model-read', run: unitsInfo },
  UnsetApplicationsConfig: { needs: 'model-write', run: unsetApplicationsConfig },
  UpdateApplicationBase: { needs: 'model-write', run: updateApplicationBase },
} satisfies FacadeTable<typeof spec>;
