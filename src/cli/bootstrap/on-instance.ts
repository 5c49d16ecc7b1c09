import { formatConstraints, type Constraints } from '../../core/constraints.ts';
import { mergedModelConfig } from '../../core/model/config.ts';
import { checkFirstMachine, firstMachine } from '../../providers/contract/plan-first-machine.ts';
import {
  firstRules,
  tagKeys,
  type CloudSpec,
  type Environ,
  type ProviderConfig,
  type StartResult,
} from '../../providers/contract/provider.ts';
import { firstBootOf } from '../../providers/toolkit/user-data/index.ts';
import type { InitConfig, InitResult } from '../../wire/controller-init.ts';
import type { ChosenCloud } from '../clouds/cloud.ts';
import { openCloud, stateDirOf } from '../clouds/open-cloud.ts';
import type { CommandContext } from '../context.ts';
import { pinHostKeys } from '../files/known-hosts.ts';
import { ensureSshKey, sshKeyFile } from '../files/ssh-key.ts';
import { installController } from './install.ts';
import { launch, type Launcher } from './launch.ts';
import { commonInit, makeElsewhere, newController, portOf, type NewController } from './make-elsewhere.ts';
import type { BootstrapPlan } from './plan.ts';
import { reachInstance, type Reached } from './reach.ts';
import { rootShell } from './root-shell.ts';
import { readRuntime, runtimeArch } from './runtime.ts';
import { defined } from '../../core/defined.ts';

/** Default memory of a controller's instance in MiB, when no size is requested (placing.md#default-controller-size). */
const defaultMemMiB = 3584;
const user = 'ubuntu';

/** Bootstraps a controller on its own instance in the cloud, which is machine 0 of its model. */
export async function bootstrapOnInstance(context: CommandContext, plan: BootstrapPlan): Promise<void> {
  const ids = newController(context);
  const { spec, provider } = plan.chosen;
  const config = await preparedConfig(plan);
  const environ = await openCloud(context, {
    provider,
    spec,
    config,
    controllerUuid: ids.uuid,
    modelUuid: ids.modelUuid,
  });
  if (!isLauncher(environ))
    throw new Error(`cloud ${plan.chosen.cloud.name} does not support starting controllers`);
  const { machine, warnings } = firstMachine(environ, plan.requested);
  for (const warning of warnings) context.warning(warning);
  const { constraints, ...machineParams } = { ...machine, constraints: sized(machine.constraints) };
  await readRuntime(constraints.arch ?? runtimeArch);
  const zones = await context.progress(
    `Checking the requested instance with ${plan.place}`,
    checkFirstMachine(environ, { ...machineParams, constraints }, plan.base, context.io.signal),
  );

  let startResult: StartResult | undefined;
  const store = await context.store();
  await makeElsewhere(context, plan, ids, {
    async make() {
      const { signal, clock } = context.io;
      const reachableSpec =
        (await provider.cloudForController?.(spec, { controllerUuid: ids.uuid, clock, signal })) ?? spec;
      await environ.create(signal);
      context.info(`Launching controller instance(s) on ${plan.place}...`);
      startResult = await launch(context, {
        environ,
        zones,
        params: await launchParams(context, plan, ids, config, constraints),
      });
      const { instance, hardware } = startResult;
      context.info(` - ${instance.id} (${formatConstraints(hardwareShown(startResult))})`);
      if (hardware.arch) await readRuntime(hardware.arch);
      context.info('Installing Juju agent on bootstrap instance');
      const reached = await reachInstance(context, {
        addresses: async (until) => (await environ.instances.get([instance.id], until))[0]?.addresses ?? [],
        user,
        identityFile: sshKeyFile(store.dir),
        nonce: ids.nonce,
        folder: stateDirOf(store, ids.uuid),
        timeouts: plan.timeouts,
      });
      const init = await installController(context, rootShell(reached.ssh), {
        ...commonInit(plan, ids),
        ...cloudOf(plan.chosen, reachableSpec),
        modelConfig: config,
        bootstrapConstraints: formatConstraints(constraints),
        instance: instanceOf(ids, startResult, reached),
      });
      await openApiPort(environ, instance.id, init, signal);
      const host = { controllerUuid: ids.uuid, modelUuid: ids.modelUuid, instanceId: instance.id };
      await pinHostKeys(store, host, reached.knownHostsFile);
      return { init, host: reached.address };
    },
    unmake: () => environ.destroyController(new AbortController().signal),
    remains: () => (startResult ? remains(startResult) : ''),
  });
}

function isLauncher(environ: Environ): environ is Launcher {
  return environ.bootstrap !== undefined;
}

/** Returns the model's configuration with the settings that the provider adds for a bootstrap. */
async function preparedConfig({ chosen, modelConfig }: BootstrapPlan): Promise<Record<string, unknown>> {
  const { provider, spec } = chosen;
  const providerSettings = Object.fromEntries(
    Object.entries(modelConfig).filter(([key]) => Object.hasOwn(provider.config, key)),
  );
  const inherited: ProviderConfig = provider.validate(spec.config);
  const prepared = await provider.prepareForBootstrap(
    provider.validate({ ...spec.config, ...providerSettings }),
  );
  // Settings inherited from the cloud are not copied into the model, so that later changes of the cloud apply to it.
  const added = Object.entries(prepared).filter(
    ([key, value]) => key in providerSettings || value !== inherited[key],
  );
  return { ...modelConfig, ...Object.fromEntries(added) };
}

function sized(constraints: Constraints): Constraints {
  const { mem, cores, 'cpu-power': power, 'instance-type': type } = constraints;
  return [mem, cores, power, type].every((one) => one === undefined)
    ? { ...constraints, mem: defaultMemMiB }
    : constraints;
}

async function launchParams(
  context: CommandContext,
  { base, requested }: BootstrapPlan,
  ids: NewController,
  config: Readonly<Record<string, unknown>>,
  constraints: Constraints,
): Promise<Parameters<typeof launch>[1]['params']> {
  const merged = mergedModelConfig(config);
  const boot = firstBootOf(merged);
  const key = await ensureSshKey((await context.store()).dir);
  return {
    nonce: ids.nonce,
    base,
    // The architecture defaults to the client's, because its program is the one that is installed.
    constraints: constraints['instance-type'] ? constraints : { arch: runtimeArch, ...constraints },
    ...defined({ placement: requested.directive || undefined }),
    tags: {
      ...(merged['resource-tags'] as Readonly<Record<string, string>>),
      [tagKeys.model]: ids.modelUuid,
      [tagKeys.controller]: ids.uuid,
      [tagKeys.nonce]: ids.nonce,
    },
    boot: { ...boot, authorizedKeys: [...new Set([key, ...boot.authorizedKeys])] },
  };
}

function hardwareShown({ hardware }: StartResult): Constraints {
  const { arch, mem, cores } = hardware;
  return {
    ...defined({ arch, mem, cores }),
  };
}

/**
 * Returns the cloud in the form that the controller is told. `seen` is the cloud as the controller reaches it, which
 * may differ from the client's way.
 */
function cloudOf(
  { cloud, region, credential, spec }: ChosenCloud,
  reachableSpec: CloudSpec,
): Pick<InitConfig, 'cloud' | 'credential'> {
  const isMoved = reachableSpec.endpoint !== spec.endpoint;
  return {
    cloud: {
      name: cloud.name,
      type: cloud.type,
      region,
      endpoint: isMoved ? reachableSpec.endpoint : cloud.endpoint,
      regions: isMoved ? cloud.regions.map(({ name }) => ({ name })) : cloud.regions,
      config: reachableSpec.config,
      ...defined({
        caCertificates: reachableSpec.caCertificates,
        skipTlsVerify: reachableSpec.skipTlsVerify || undefined,
      }),
    },
    ...(reachableSpec.credential
      ? { credential: { name: credential?.name ?? cloud.name, ...reachableSpec.credential } }
      : {}),
  };
}

function instanceOf(
  ids: NewController,
  { instance, hardware }: StartResult,
  { addresses }: Reached,
): NonNullable<InitConfig['instance']> {
  const zone = instance.zone ?? hardware.availabilityZone;
  return {
    controllerUuid: ids.uuid,
    modelUuid: ids.modelUuid,
    nonce: ids.nonce,
    id: instance.id,
    displayName: instance.displayName,
    isolation: instance.isolation,
    ...defined({ zone }),
    hardware,
    addresses,
  };
}

/** Opens the controller's port in the cloud's firewall. The controller keeps the rule from then on. */
async function openApiPort(
  { firewall }: Environ,
  instanceId: string,
  init: InitResult,
  signal: AbortSignal,
): Promise<void> {
  const port = portOf(init);
  const rules = [...firstRules, { fromPort: port, toPort: port, protocol: 'tcp', sourceCidrs: [] }] as const;
  if (firewall.mode === 'instance') await firewall.set(instanceId, rules, signal);
  else if (firewall.mode === 'global') await firewall.set(rules, signal);
}

function remains({ instance }: StartResult): string {
  const address = instance.addresses.find(({ scope }) => scope !== 'local-machine')?.value;
  return `instance ${instance.id}${address === undefined ? '' : ` (${user}@${address})`}`;
}
