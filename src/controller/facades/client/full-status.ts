import type { client as spec } from '../../../wire/facades/client.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { statusOf } from '../../transactions/tx.ts';
import { now } from '../shared/now.ts';
import { cloudTag } from '../../../wire/tags.ts';
import { JujuError } from '../../../core/errors.ts';
import { applicationStatuses } from './status/applications.ts';
import { select } from './status/filter.ts';
import { machineStatuses } from './status/machines.ts';
import { relationStatuses } from './status/relations.ts';
import { detailed } from './status/detailed.ts';
import { statusScope } from './status/scope.ts';

/** Everything about a model, or what the patterns match with all that it needs to be read. */
export async function fullStatus(
  call: Call,
  params: ParamsOf<typeof spec, 'FullStatus'>,
): Promise<ResultOf<typeof spec, 'FullStatus'>> {
  const scope = statusScope(call);
  const selection = await select(scope, params.patterns);
  const withStorage = call.version >= 7 && params['include-storage'];
  return {
    model: modelStatus(call),
    machines: await machineStatuses(scope, selection),
    applications: await applicationStatuses(scope, selection),
    'remote-applications': {},
    offers: {},
    relations: await relationStatuses(scope, selection),
    'controller-timestamp': now(call),
    branches: {},
    ...(withStorage ? { storage: [], filesystems: [], volumes: [] } : {}),
  };
}

function modelStatus(call: Call): ResultOf<typeof spec, 'FullStatus'>['model'] {
  const view = call.read();
  const model = view.in('').get('model', call.modelUuid);
  if (!model) throw new JujuError('model not found', `unknown model: "${call.modelUuid}"`);
  return {
    name: model.name,
    type: 'iaas',
    'cloud-tag': cloudTag(model.cloud),
    ...(model.region === '' ? {} : { region: model.region }),
    version: call.services.version,
    'available-version': '',
    'model-status': detailed(statusOf(view, 'model', '', model.createdAt)),
    'meter-status': { color: '', message: '' },
    sla: 'unsupported',
  };
}
