import { JujuError } from '../core/errors.ts';
import type { MachineDoc } from '../core/machine/document.ts';
import type { MachineNetworks } from '../core/network/machine-networks.ts';
import { mergedModelConfig } from '../core/model/config.ts';
import {
  ProviderError,
  tagKeys,
  type AgentDelivery,
  type AgentDownload,
  type CharmProfile,
  type FirstBoot,
  type StartParams,
} from '../providers/contract/provider.ts';
import { firstBootOf } from '../providers/toolkit/user-data/index.ts';
import { renderAgentConf, type AgentConf } from '../wire/agent-conf.ts';
import { machineTag } from '../wire/tags.ts';
import { networksOf } from './machine-networks.ts';
import { hasCharmProfiles, profilesOf } from './machine-profiles.ts';
import type { Services } from './services.ts';
import type { StartIntent } from './transactions/instance/prepare-start.ts';
import type { View } from './transactions/tx.ts';
import { defined } from '../core/defined.ts';

/** Parameters that all starts of a model have in common. */
interface StartContext {
  readonly tags: Readonly<Record<string, string>>;
  readonly agent: Omit<AgentDelivery, 'agentConf'>;
  readonly agentConf: Omit<AgentConf, 'tag' | 'nonce' | 'apiPassword' | 'oldPassword'>;
  readonly boot: FirstBoot;
  /** Profiles that the charms of a machine's units ask for. */
  profiles(machine: string): readonly CharmProfile[];
  /** Networks that a machine asks for. Errors: ProviderError `bad request`. */
  networks(machine: MachineDoc): MachineNetworks | undefined;
}

/** Reads the common parameters; undefined when the model is gone. `view`: the model's. */
export async function startContext(
  services: Pick<Services, 'toolsDir' | 'version' | 'caCert' | 'agentAddresses' | 'bundles'>,
  view: View,
): Promise<StartContext | undefined> {
  const model = view.in('').get('model', view.space);
  const controller = view.in('').get('controller', 'self');
  const cloud = model && view.in('').get('cloud', model.cloud);
  if (!model || !controller || !cloud) return undefined;
  const { toolsDir, version, caCert } = services;
  const config = mergedModelConfig(model.config);
  const addresses = await services.agentAddresses(model.uuid);
  const asksForProfiles = hasCharmProfiles(view);
  return {
    tags: {
      ...config['resource-tags'],
      [tagKeys.model]: model.uuid,
      [tagKeys.controller]: controller.uuid,
    },
    agent: { toolsDir, version, dataDir: '/var/lib/juju' },
    agentConf: {
      controller: controller.uuid,
      model: model.uuid,
      apiAddresses: addresses,
      caCert,
      upgradedToVersion: version,
      providerType: cloud.type,
    },
    boot: { ...firstBootOf(config, addresses), download: downloadOf(services, model.uuid, addresses) },
    profiles: (machine) => (asksForProfiles ? profilesOf(view, machine) : []),
    networks: (machine) => networksOf(view, machine),
  };
}

function downloadOf(
  { caCert, version, bundles }: Pick<Services, 'caCert' | 'version' | 'bundles'>,
  model: string,
  addresses: readonly string[],
): AgentDownload {
  return {
    addresses,
    caCert,
    path: `/model/${model}/tools/${version}-ubuntu-`,
    async bundle(arch) {
      try {
        const { sha256, size } = await bundles.file(arch);
        return { sha256, size };
      } catch (error) {
        if (error instanceof JujuError) throw new ProviderError('bad request', error.message);
        throw error;
      }
    },
  };
}

/**
 * Parameters with which the provider, or a host's agent, starts an intended machine. Errors: ProviderError `bad
 * request` (networks).
 */
export function startParams(
  { machine, nonce, password, existing, units }: StartIntent,
  context: StartContext,
): Omit<StartParams, 'progress'> {
  const { id, base, constraints, placement, zone } = machine;
  const profiles = context.profiles(id);
  return {
    machineId: id,
    nonce,
    ...defined({ existing: existing || undefined }),
    base,
    constraints,
    // An instance that exists keeps its networks.
    ...defined({
      placement: placement?.directive,
      zone,
      networks: existing ? undefined : context.networks(machine),
    }),
    tags: {
      ...context.tags,
      [tagKeys.machine]: id,
      [tagKeys.nonce]: nonce,
      ...(machine.isController ? { [tagKeys.isController]: 'true' } : {}),
      ...(units.length > 0 ? { [tagKeys.units]: units.join(' ') } : {}),
    },
    agent: {
      ...context.agent,
      agentConf: renderAgentConf({
        ...context.agentConf,
        tag: machineTag(id),
        // The first password is sent both as the new and as the old one.
        apiPassword: password,
        oldPassword: password,
        nonce,
      }),
    },
    boot: context.boot,
    ...defined({ profiles: profiles.length > 0 ? profiles : undefined }),
  };
}
