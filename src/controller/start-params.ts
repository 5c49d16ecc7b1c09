import type { ModelDoc } from '../core/entities.ts';
import { mergedModelConfig } from '../core/model/config.ts';
import { tagKeys, type StartParams } from '../providers/provider.ts';
import { renderAgentConf } from '../wire/agent-conf.ts';
import type { Services } from './services.ts';
import type { StartIntent } from './transactions/prepare-start.ts';

/** What the provider, or a host's agent, is given to start an intended machine. */
export async function startParams(
  { machine, nonce, password, units }: StartIntent,
  {
    services,
    model,
    controllerUuid,
  }: {
    readonly services: Pick<Services, 'toolsDir' | 'version' | 'caCert' | 'agentAddresses'>;
    readonly model: ModelDoc;
    readonly controllerUuid: string;
  },
): Promise<Omit<StartParams, 'progress'>> {
  const { id, base, constraints, placement, zone } = machine;
  const resourceTags = mergedModelConfig(model.config)['resource-tags'] as Readonly<Record<string, string>>;
  return {
    machineId: id,
    nonce,
    base,
    constraints,
    ...(placement ? { placement: placement.directive } : {}),
    ...(zone === undefined ? {} : { zone }),
    tags: {
      ...resourceTags,
      [tagKeys.model]: model.uuid,
      [tagKeys.controller]: controllerUuid,
      [tagKeys.machine]: id,
      [tagKeys.nonce]: nonce,
      ...(machine.isController ? { [tagKeys.isController]: 'true' } : {}),
      ...(units.length > 0 ? { [tagKeys.units]: units.join(' ') } : {}),
    },
    agent: {
      toolsDir: services.toolsDir,
      dataDir: '/var/lib/juju',
      version: services.version,
      agentConf: renderAgentConf({
        tag: `machine-${id.replaceAll('/', '-')}`,
        controller: controllerUuid,
        model: model.uuid,
        apiAddresses: await services.agentAddresses(model.uuid),
        caCert: services.caCert,
        apiPassword: password,
        nonce,
        upgradedToVersion: services.version,
      }),
    },
  };
}
