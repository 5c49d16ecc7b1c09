import { modelTag, userTag } from '../../wire/tags.ts';
import { call } from '../../client/calls.ts';
import { constraintsToWire } from '../../operate/constraints.ts';
import type { CommandContext } from '../context.ts';
import type { AccountDetails, ControllerDetails } from '../../operate/records.ts';
import type { BootstrapConfig } from '../files/client-store.ts';
import { jujuVersion } from '../../core/juju-version.ts';
import type { BootstrapPlan } from './plan.ts';
import { defined } from '../../core/defined.ts';

/** Controller that was made and serves. */
export interface BootstrappedController {
  readonly uuid: string;
  readonly modelUuid: string;
  readonly caCert: string;
  /** Addresses as `host:port`, the most useful first. */
  readonly addresses: readonly string[];
  /** Password of the admin. */
  readonly password: string;
  /** Location of the controller, for bootstrap-config.yaml. */
  readonly whereabouts: Readonly<Record<string, unknown>>;
}

/** Returns the controller's entry in controllers.yaml. */
export function controllerDetails(
  { chosen }: BootstrapPlan,
  { uuid, caCert, addresses }: Pick<BootstrappedController, 'uuid' | 'caCert' | 'addresses'>,
): ControllerDetails {
  return {
    uuid,
    'api-endpoints': addresses,
    'ca-cert': caCert,
    cloud: chosen.cloud.name,
    ...defined({ region: chosen.region || undefined }),
    type: chosen.cloud.type,
    'agent-version': jujuVersion,
    'controller-machine-count': 1,
    'active-controller-machine-count': 1,
    'machine-count': 1,
  };
}

export function adminAccount(password: string): AccountDetails {
  return { user: 'admin', password, 'last-known-access': 'superuser' };
}

/**
 * Returns the entry in bootstrap-config.yaml that destroying the controller needs when it does not answer. The entry
 * has the credential's name but no secrets.
 */
export function bootstrapConfig(
  { name, chosen, config, modelConfig }: BootstrapPlan,
  { modelUuid, whereabouts }: Pick<BootstrappedController, 'modelUuid' | 'whereabouts'>,
): BootstrapConfig {
  const { cloud, region, credential, spec, provider } = chosen;
  const isOpen = ([key]: [string, unknown]): boolean => provider.config[key]?.secret !== true;
  return {
    'controller-config': { ...config, 'controller-name': name, ...whereabouts },
    'model-config': Object.fromEntries(Object.entries({ ...spec.config, ...modelConfig }).filter(isOpen)),
    'controller-model-uuid': modelUuid,
    ...defined({ credential: credential?.name }),
    cloud: cloud.name,
    type: cloud.type,
    ...defined({
      region: region || undefined,
      endpoint: spec.endpoint || undefined,
      'ca-certificates': spec.caCertificates,
      'skip-tls-verify': spec.skipTlsVerify || undefined,
    }),
  };
}

/**
 * Logs in for the first time, which proves that the controller serves, creates the initial model, and makes both
 * current.
 */
export async function logInFirst(
  context: CommandContext,
  plan: BootstrapPlan,
  controller: Pick<BootstrappedController, 'modelUuid'>,
): Promise<void> {
  const { name, flags, modelConfig, modelConstraints } = plan;
  const store = await context.store();
  const { connection, user } = await context.openController(name);
  await call(connection, 'ModelManager', 'ModelInfo', {
    entities: [{ tag: modelTag(controller.modelUuid) }],
  });
  if (flags.addModel) {
    const model = await call(connection, 'ModelManager', 'CreateModel', {
      name: flags.addModel,
      'owner-tag': userTag(user),
      config: { ...modelConfig },
    });
    await store.addModel(name, `${user}/${flags.addModel}`, { uuid: model.uuid, type: 'iaas' });
    if (Object.keys(modelConstraints).length > 0) {
      const session = await context.openModel(`${name}:${user}/${flags.addModel}`);
      await call(session.connection, 'ModelConfig', 'SetModelConstraints', {
        application: '',
        constraints: constraintsToWire(modelConstraints),
      });
    }
    await store.setCurrentModel(name, `${user}/${flags.addModel}`);
  }
  if (!flags.noSwitch) await store.setCurrentController(name);
}
