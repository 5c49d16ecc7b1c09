import { seriesOfBase } from '../../../core/base.ts';
import type { ModelDoc } from '../../../core/model/document.ts';
import { modelVersion } from '../../../core/model/upgrade.ts';
import type { modelManager as spec } from '../../../wire/facades/model-manager.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { cloudTag, userTag } from '../../../wire/tags.ts';
import { bulk } from '../shared/bulk.ts';
import { isSuperuser, userOfTag } from '../shared/model-access.ts';
import { cloudType } from '../shared/model-config.ts';
import { shownMigration } from '../../migration/model-status.ts';
import { credentialTagOf, defaultBaseOf, modelEntityStatus, sla } from './describe-model.ts';
import { lastConnection } from '../shared/users-of-model.ts';
import { accessOf, modelsOf } from './user-model.ts';
import { defined } from '../../../core/defined.ts';

type Summary = NonNullable<ResultOf<typeof spec, 'ListModelSummaries'>['results'][number]['result']>;

export async function listModelSummaries(
  call: Call,
  params: ParamsOf<typeof spec, 'ListModelSummaries'>,
): Promise<ResultOf<typeof spec, 'ListModelSummaries'>> {
  const user = userOfTag(call, params['user-tag']);
  const models = modelsOf(call, user, (params.all ?? false) && isSuperuser(call));
  return { results: await bulk(call, models, (model) => ({ result: summarize(call, model, user) })) };
}

function summarize(call: Call, model: ModelDoc, user: string): Summary {
  const controller = call.read().in('').get('controller', 'self');
  return {
    name: model.name,
    uuid: model.uuid,
    type: 'iaas',
    'provider-type': cloudType(call, model.cloud),
    ...(call.version < 10 ? { 'default-series': seriesOfBase(defaultBaseOf(model)) } : {}),
    'cloud-tag': cloudTag(model.cloud),
    ...defined({ 'cloud-region': model.region || undefined }),
    ...credentialTagOf(call, model),
    'owner-tag': userTag(model.owner),
    'controller-uuid': controller?.uuid ?? '',
    'is-controller': controller?.modelUuid === model.uuid,
    life: model.life,
    status: modelEntityStatus(call, model),
    ...defined({ migration: shownMigration(call.read().in('').get('migration', model.uuid)) }),
    'user-access': accessOf(call, model.uuid, user),
    'last-connection': lastConnection(call, model.uuid, user),
    counts: counts(call, model.uuid),
    sla,
    'agent-version': modelVersion(model, call.services.version),
  };
}

/** Numbers of entities; zero ones are left out. */
function counts(call: Call, uuid: string): { entity: string; count: number }[] {
  const view = call.read().in(uuid);
  let cores = 0;
  for (const machine of view.list('machine')) cores += machine.instance?.hardware.cores ?? 0;
  return [
    { entity: 'machines', count: view.count('machine') },
    { entity: 'cores', count: cores },
    { entity: 'units', count: view.count('unit') },
  ].filter(({ count }) => count > 0);
}
