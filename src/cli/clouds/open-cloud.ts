import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { mergedModelConfig } from '../../core/model/config.ts';
import { silentLog } from '../../kit/log.ts';
import type { CloudSpec, Environ, Provider, ProviderConfig } from '../../providers/contract/provider.ts';
import type { CommandContext } from '../context.ts';
import { forgetHostKeys } from '../files/known-hosts.ts';
import type { BootstrapConfig, ClientStore } from '../files/client-store.ts';
import { cloudSpec } from './choose-cloud.ts';
import { chooseCredential, finalizeCredential } from './choose-credential.ts';
import { findClientCloud } from './client-clouds.ts';
import type { ClientCloud } from './cloud.ts';
import { defined } from '../../core/defined.ts';

/** Returns the folder where providers keep their files on this computer. */
export function stateDirOf(store: ClientStore, controllerUuid: string): string {
  return join(store.dir, 'clouds', controllerUuid);
}

/** Forgets everything that this computer has recorded of a controller that is gone. */
export async function forgetController(store: ClientStore, name: string, uuid: string): Promise<void> {
  await rm(stateDirOf(store, uuid), { recursive: true, force: true });
  await forgetHostKeys(store, uuid);
  await store.removeController(name);
}

/** Opens the environment of a controller's own model from this computer, with the user's credential. */
export async function openCloud(
  context: CommandContext,
  params: {
    readonly provider: Provider;
    readonly spec: CloudSpec;
    readonly config: ProviderConfig;
    readonly controllerUuid: string;
    readonly modelUuid: string;
  },
): Promise<Environ> {
  const { provider, spec, config, controllerUuid, modelUuid } = params;
  const merged = mergedModelConfig(config, provider.config);
  const firewallMode = provider.firewallModes.find((mode) => mode === merged['firewall-mode']);
  const providerSettings = Object.entries(config).filter(([key]) => Object.hasOwn(provider.config, key));
  return provider.open({
    cloud: spec,
    config: provider.validate({ ...spec.config, ...Object.fromEntries(providerSettings) }),
    controllerUuid,
    modelUuid,
    modelName: 'controller',
    ...defined({ firewallMode }),
    stateDir: stateDirOf(await context.store(), controllerUuid),
    clock: context.io.clock,
    log: silentLog,
  });
}

/**
 * Opens the cloud that a controller was bootstrapped into, as bootstrap-config.yaml records it. Errors: JujuError when
 * its credential is no longer on this computer.
 */
export async function reopenCloud(
  context: CommandContext,
  bootstrapped: BootstrapConfig,
  controllerUuid: string,
): Promise<Environ> {
  const provider = (await context.io.providers()).get(bootstrapped.type);
  if (!provider) throw new Error(`cloud type "${bootstrapped.type}" is not supported`);
  const cloud = await asBootstrapped(context, bootstrapped, provider);
  const specWithoutCredential = { ...cloudSpec(cloud, bootstrapped.region ?? ''), endpoint: cloud.endpoint };
  const chosen = await chooseCredential(context, cloud, provider, bootstrapped.credential ?? '');
  const credential = chosen && (await finalizeCredential(context, specWithoutCredential, provider, chosen));
  return openCloud(context, {
    provider,
    spec: credential
      ? {
          ...specWithoutCredential,
          credential: { authType: credential.authType, attributes: credential.attributes },
        }
      : specWithoutCredential,
    config: bootstrapped['model-config'],
    controllerUuid,
    modelUuid: bootstrapped['controller-model-uuid'],
  });
}

/**
 * Returns the cloud with the endpoints recorded at bootstrap, even if clouds.yaml has changed or lost the cloud since.
 */
async function asBootstrapped(
  context: CommandContext,
  bootstrapped: BootstrapConfig,
  provider: Provider,
): Promise<ClientCloud> {
  const { cloud: name, type, region, endpoint = '' } = bootstrapped;
  const currentCloud = await findClientCloud(context, name);
  return {
    ...(currentCloud?.type === type
      ? currentCloud
      : { description: '', defined: 'local', authTypes: Object.keys(provider.authTypes), config: {} }),
    name,
    type,
    endpoint,
    regions: region === undefined ? [] : [{ name: region }],
    ...defined({
      caCertificates: bootstrapped['ca-certificates'],
      skipTlsVerify: bootstrapped['skip-tls-verify'] || undefined,
    }),
  };
}
