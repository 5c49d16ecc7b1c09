import { modelTag, userTag } from '../../wire/tags.ts';
import { call } from '../../client/calls.ts';
import { constraintsToWire } from '../../operate/constraints.ts';
import type { CommandContext } from '../context.ts';
import type { AccountDetails, ControllerDetails } from '../../operate/records.ts';
import type { BootstrapConfig } from '../files/client-store.ts';
import { jujuVersion } from '../../core/juju-version.ts';
import type { BootstrapPlan } from './plan.ts';

/** A controller that serves. */
export interface MadeController {
  readonly uuid: string;
  readonly modelUuid: string;
  readonly caCert: string;
  /** `host:port`, the most useful first. */
  readonly addresses: readonly string[];
  /** The admin's. */
  readonly password: string;
  /** Where it is, for bootstrap-config.yaml. */
  readonly whereabouts: Readonly<Record<string, unknown>>;
}

/** What controllers.yaml says of it. */
export function controllerDetails(
  { chosen }: BootstrapPlan,
  { uuid, caCert, addresses }: Pick<MadeController, 'uuid' | 'caCert' | 'addresses'>,
): ControllerDetails {
  return {
    uuid,
    'api-endpoints': addresses,
    'ca-cert': caCert,
    cloud: chosen.cloud.name,
    ...(chosen.region === '' ? {} : { region: chosen.region }),
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

/** What destroying it needs to know when it does not answer. No secrets: a credential's name. */
export function bootstrapConfig(
  { name, chosen, config, modelConfig }: BootstrapPlan,
  { modelUuid, whereabouts }: Pick<MadeController, 'modelUuid' | 'whereabouts'>,
): BootstrapConfig {
  const { cloud, region, credential, spec, provider } = chosen;
  const isOpen = ([key]: [string, unknown]): boolean => provider.config[key]?.secret !== true;
  return {
    'controller-config': { ...config, 'controller-name': name, ...whereabouts },
    'model-config': Object.fromEntries(Object.entries({ ...spec.config, ...modelConfig }).filter(isOpen)),
    'controller-model-uuid': modelUuid,
    ...(credential ? { credential: credential.name } : {}),
    cloud: cloud.name,
    type: cloud.type,
    ...(region === '' ? {} : { region }),
    ...(spec.endpoint === '' ? {} : { endpoint: spec.endpoint }),
    ...(spec.caCertificates ? { 'ca-certificates': spec.caCertificates } : {}),
    ...(spec.skipTlsVerify ? { 'skip-tls-verify': true } : {}),
  };
}

/** A first login, which shows that it serves, the initial model, and what is current from now on. */
export async function enter(
  context: CommandContext,
  plan: BootstrapPlan,
  made: Pick<MadeController, 'modelUuid'>,
): Promise<void> {
  const { name, flags, modelConfig, modelConstraints } = plan;
  const store = await context.store();
  const { connection, user } = await context.openController(name);
  await call(connection, 'ModelManager', 'ModelInfo', { entities: [{ tag: modelTag(made.modelUuid) }] });
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
