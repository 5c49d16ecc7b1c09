import { rm } from 'node:fs/promises';
import { hostPort } from '../../core/host-port.ts';
import type { InitConfig, InitResult } from '../../wire/controller-init.ts';
import { forgetController, stateDirOf } from '../clouds/open-cloud.ts';
import type { CommandContext } from '../context.ts';
import { adminAccount, bootstrapConfig, controllerDetails, logInFirst } from './describe.ts';
import { newPassword, newUuid } from './new-ids.ts';
import type { BootstrapPlan } from './plan.ts';
import { waitForController } from './wait-for-controller.ts';
import { defined } from '../../core/defined.ts';

/** Ids of a controller that does not exist yet. Everything made for it carries them in its tags. */
export interface NewController {
  readonly uuid: string;
  readonly modelUuid: string;
  /** Nonce that only the client and the instance started by it know. */
  readonly nonce: string;
  /** Password of the admin. */
  readonly password: string;
}

export function newController({ io }: CommandContext): NewController {
  return {
    uuid: newUuid(io),
    modelUuid: newUuid(io),
    nonce: `user-admin:bootstrap:${newUuid(io)}`,
    password: newPassword(io),
  };
}

/** Operations that depend on where the controller is made. */
interface RemoteSite {
  /** Makes and starts the controller. `host` is the address where the computer was reached. */
  make(): Promise<{ readonly init: InitResult; readonly host: string }>;
  /**
   * Removes everything that `make` may have made, at whatever point it failed. A part that no longer exists is not an
   * error.
   */
  unmake(): Promise<void>;
  /** Describes what a failed `make` has left, for people who want to inspect it; '' means nothing. */
  remains(): string;
}

/**
 * Makes a controller on another computer. The data that kill-controller needs is recorded first, so that nothing is
 * ever orphaned. On failure everything is removed again, unless it is to be kept.
 */
export async function makeElsewhere(
  context: CommandContext,
  plan: BootstrapPlan,
  ids: NewController,
  site: RemoteSite,
): Promise<void> {
  const { name } = plan;
  const store = await context.store();
  const announced = { uuid: ids.uuid, caCert: '', addresses: [] };
  await store.addController(name, controllerDetails(plan, announced), adminAccount(ids.password));
  try {
    await store.setBootstrapConfig(
      name,
      bootstrapConfig(plan, { modelUuid: ids.modelUuid, whereabouts: {} }),
    );
    await store.addModel(name, 'admin/controller', { uuid: ids.modelUuid, type: 'iaas' });
    const { init, host } = await site.make();
    for (const warning of init.warnings) context.warning(warning);
    const addresses = [...new Set([hostPort(host, portOf(init)), ...init.addresses])];
    const controller = { uuid: ids.uuid, caCert: init.caCert, addresses };
    context.info(`Contacting Juju controller at ${host} to verify accessibility...`);
    await context.progress(
      'Waiting for the controller',
      waitForController(context, { ...controller, password: ids.password }),
    );
    await store.updateController(name, controllerDetails(plan, controller));
    await logInFirst(context, plan, ids);
  } catch (error) {
    await clear(context, plan, ids, site);
    throw error;
  }
  await rm(stateDirOf(store, ids.uuid), { recursive: true, force: true });
}

/** Returns the members of InitConfig that do not depend on where the controller is made. */
export function commonInit(plan: BootstrapPlan, { password }: NewController): Omit<InitConfig, 'cloud'> {
  return {
    name: plan.name,
    adminUser: 'admin',
    adminPassword: password,
    config: plan.config,
    modelDefaults: plan.modelDefaults,
    constraints: plan.requested.constraints,
    ...defined({ placement: plan.requested.directive || undefined }),
  };
}

/** Returns the port that the controller serves at, which it may have chosen itself. */
export function portOf({ addresses }: InitResult): number {
  const [, port] = /:(\d+)$/.exec(addresses[0] ?? '') ?? [];
  if (port === undefined) throw new Error('the controller has no address');
  return Number(port);
}

/** Removes a failed controller. The user's interrupt that ended the bootstrap does not end the removal. */
async function clear(
  context: CommandContext,
  plan: BootstrapPlan,
  { uuid }: NewController,
  site: RemoteSite,
): Promise<void> {
  const { name, flags } = plan;
  const killCommand = `run "grigri kill-controller ${name}"`;
  if (flags.keepBroken) {
    const remains = site.remains();
    context.info(
      remains === ''
        ? `Bootstrap failed before any resource was created; ${killCommand} to remove the controller from the client's files`
        : `Bootstrap failed; its resources are kept: ${remains}\nTo remove them, ${killCommand}`,
    );
    return;
  }
  context.info(
    context.io.signal.aborted
      ? 'Interrupted: removing the resources created so far'
      : 'Bootstrap failed: removing the resources created so far',
  );
  try {
    await context.progress('Removing the controller', site.unmake());
  } catch (error) {
    context.warning(`cannot remove all resources (${(error as Error).message}): ${killCommand}`);
    return;
  }
  await forgetController(await context.store(), name, uuid);
}
