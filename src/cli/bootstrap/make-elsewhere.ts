import { rm } from 'node:fs/promises';
import { hostPort } from '../../kit/host-port.ts';
import type { InitConfig, InitResult } from '../../wire/controller-init.ts';
import { forgetController, stateDirOf } from '../clouds/open-cloud.ts';
import type { CommandContext } from '../context.ts';
import { adminAccount, bootstrapConfig, controllerDetails, enter } from './describe.ts';
import { newPassword, newUuid } from './new-ids.ts';
import type { BootstrapPlan } from './plan.ts';
import { waitForController } from './wait-for-controller.ts';

/** Of a controller that is not there yet: what is made for it has them in its tags. */
export interface NewController {
  readonly uuid: string;
  readonly modelUuid: string;
  /** Known to the client and to what it has started, alone. */
  readonly nonce: string;
  /** The admin's. */
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

/** What is particular to where a controller is made. */
export interface Elsewhere {
  /** Makes it and starts it. `host` is where it was reached. */
  make(): Promise<{ readonly init: InitResult; readonly host: string }>;
  /** Takes away everything that `make` may have made, however far it came; what has gone before it, is no error. */
  unmake(): Promise<void>;
  /** What a failed `make` has left, for a person who wants to look at it; '' = nothing. */
  remains(): string;
}

/**
 * Makes a controller somewhere else. What kill-controller needs is written before anything is made, so that nothing is
 * ever lost; what was made is gone again when it fails, unless it is to be kept.
 */
export async function makeElsewhere(
  context: CommandContext,
  plan: BootstrapPlan,
  ids: NewController,
  place: Elsewhere,
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
    const { init, host } = await place.make();
    for (const warning of init.warnings) context.warning(warning);
    const addresses = [...new Set([hostPort(host, portOf(init)), ...init.addresses])];
    const made = { uuid: ids.uuid, caCert: init.caCert, addresses };
    context.info(`Contacting Juju controller at ${host} to verify accessibility...`);
    await context.progress(
      'Waiting for the controller',
      waitForController(context, { ...made, password: ids.password }),
    );
    await store.updateController(name, controllerDetails(plan, made));
    await enter(context, plan, ids);
  } catch (error) {
    await clear(context, plan, ids, place);
    throw error;
  }
  await rm(stateDirOf(store, ids.uuid), { recursive: true, force: true });
}

/** What InitConfig says of it, wherever it is made. */
export function commonInit(plan: BootstrapPlan, { password }: NewController): Omit<InitConfig, 'cloud'> {
  return {
    name: plan.name,
    adminUser: 'admin',
    adminPassword: password,
    config: plan.config,
    modelDefaults: plan.modelDefaults,
    constraints: plan.wishes.constraints,
    ...(plan.wishes.directive === '' ? {} : { placement: plan.wishes.directive }),
  };
}

/** The one that it serves at, which it may have chosen. */
export function portOf({ addresses }: InitResult): number {
  const [, port] = /:(\d+)$/.exec(addresses[0] ?? '') ?? [];
  if (port === undefined) throw new Error('the controller has no address');
  return Number(port);
}

/** The interrupt that ended the making must not end this. */
async function clear(
  context: CommandContext,
  plan: BootstrapPlan,
  { uuid }: NewController,
  place: Elsewhere,
): Promise<void> {
  const { name, flags } = plan;
  const again = `"grigri kill-controller ${name}" removes it`;
  if (flags.keepBroken) {
    const remains = place.remains();
    context.info(
      remains === ''
        ? `Bootstrap failed before anything was made; ${again} from the client's files`
        : `Bootstrap failed; it is kept as it is: ${remains}\n${again}`,
    );
    return;
  }
  context.info(
    context.io.signal.aborted
      ? 'Interrupted: removing what was made'
      : 'Bootstrap failed: removing what was made',
  );
  try {
    await context.progress('Removing it', place.unmake());
  } catch (error) {
    context.warning(`not all of it could be removed (${(error as Error).message}): ${again}`);
    return;
  }
  await forgetController(await context.store(), name, uuid);
}
