import { mergedModelConfig } from '../../../core/model/config.ts';
import { modelVersion } from '../../../core/model/upgrade.ts';
import { withoutSecrets } from '../../secrets.ts';
import { modelStatus } from '../../migration/model-status.ts';
import type { DeltaScope } from './delta.ts';
import { statusInfo } from './status-info.ts';

export function modelBody({ reader, modelUuid, services }: DeltaScope): Record<string, unknown> | undefined {
  const controllerSpace = reader.in('');
  const model = controllerSpace.get('model', modelUuid);
  if (!model) return undefined;
  const type = controllerSpace.get('cloud', model.cloud)?.type ?? '';
  const schema = services.providers.get(type)?.config ?? {};
  const controller = controllerSpace.get('controller', 'self');
  return {
    name: model.name,
    life: model.life,
    owner: model.owner,
    'controller-uuid': controller?.uuid ?? '',
    'is-controller': controller?.modelUuid === modelUuid,
    config: {
      ...withoutSecrets(schema, mergedModelConfig(model.config)),
      name: model.name,
      uuid: modelUuid,
      type,
      'agent-version': modelVersion(model, services.version),
    },
    status: statusInfo(modelStatus(reader, model.createdAt)),
    constraints: model.constraints,
    sla: { level: 'unsupported', owner: '' },
    type: 'iaas',
    cloud: model.cloud,
    'cloud-region': model.region,
    version: modelVersion(model, services.version),
  };
}
