/** Removal of controllers and models: the shared part of destroy-controller, kill-controller and destroy-model. */
import type { EndResult } from '../wire/controller-init.ts';
import type { PlannedRemoval } from '../wire/facades/removal-plan.ts';
import { waitForNoModels, type HostedModel } from '../operate/remove/hosted-models.ts';
import type { Reach } from '../operate/wait/over-losses.ts';
import type { CommandContext } from './context.ts';
import type { ResultOf } from '../client/calls.ts';
import { controllerFlags } from './command.ts';
import { countOf } from './count-of.ts';
import { stopDaemon } from './daemon.ts';
import { noMoreArgs, UsageError } from './errors.ts';
import { bool, type FlagValues } from './flags.ts';
import { removeFromHost } from './bootstrap/on-host.ts';
import { forgetController, reopenCloud } from './clouds/open-cloud.ts';
import type { BootstrapConfig } from './files/client-store.ts';
import { endController, findDataDir, openEnviron, removeDataDir, withStartLock } from './local-controller.ts';
import { confirmByName, mustAsk, promptFlags } from './prompts.ts';
import { dryRunFlags, planLines, showPlan, shortList, type WaitOptions } from './removal-plan.ts';
import { withNames } from './removal.ts';
import { chooseController } from '../operate/sessions.ts';
import { waitingOperator } from './wait.ts';
import { defined } from '../core/defined.ts';

/** Flags of all three commands. */
export const endFlags = {
  noBrowserLogin: controllerFlags.noBrowserLogin,
  ...promptFlags,
  ...dryRunFlags,
};

/** Flags of the two commands that ask the controller. `storageOf` completes the sentences about storage. */
export function destroyFlags(storageOf: { readonly destroyed: string; readonly released: string }) {
  return {
    ...endFlags,
    destroyStorage: bool('--destroy-storage', `Destroy all storage instances ${storageOf.destroyed}`),
    releaseStorage: bool(
      '--release-storage',
      `Release all storage instances from ${storageOf.released}, without destroying them`,
    ),
    force: bool('--force', 'Force destroy model ignoring any errors'),
    noWait: bool(
      '--no-wait',
      'Rush through model destruction without waiting for each individual step to complete',
    ),
  };
}

/** Returns the controller that the arguments name. Errors: UsageError. */
export async function namedController(context: CommandContext, args: readonly string[]): Promise<string> {
  const [name, ...moreArgs] = args;
  if (!name) throw new UsageError('no controller specified');
  noMoreArgs(moreArgs);
  // The client's files are checked before anything is removed, because all of them will be changed at the end.
  await (await context.store()).check();
  return chooseController(context.client, name);
}

/**
 * Prints what the removal of the controller will do, and asks for confirmation unless a flag gives it. Errors: Aborted.
 */
export async function agreeToEnd(
  context: CommandContext,
  flags: FlagValues<typeof promptFlags>,
  controller: string,
  lines: readonly string[],
): Promise<void> {
  if (!mustAsk(flags)) {
    for (const line of lines) context.info(line);
    return;
  }
  context.warning(`This command will destroy the "${controller}" controller and all its resources`);
  for (const line of lines) context.io.stderr.write(`${line}\n`);
  await confirmByName(context, {
    entity: 'controller',
    verb: 'unregistered',
    name: controller,
    aborted: 'controller destruction',
  });
}

type ControllerPlan = ResultOf<'Lives', 'PlanControllerRemoval'>;

/** Returns the plan for the users' entities in the controller's own model. */
function ownPlan({ 'controller-model': modelPlan }: ControllerPlan): PlannedRemoval {
  return modelPlan ?? { targets: [{}], keeps: [], waits: [] };
}

/** Returns Juju's summary of what is removed with a controller. */
export function summary(plan: ControllerPlan): string[] {
  const { models } = plan;
  const groups = [...models.map((one) => one.plan), ownPlan(plan)].flatMap(({ targets }) =>
    targets.flatMap(({ dies = [] }) => dies),
  );
  if (groups.every(({ reason }) => reason === 'asked') && models.length === 0) return [];
  const count = (kind: string): number =>
    groups.reduce((n, group) => n + (group.kind === kind ? group.names.length : 0), 0);
  return [
    '',
    ` - ${countOf(models.length, 'model')} will be destroyed`,
    ...(models.length > 0 ? [`  - model list: "${shortList(models.map(({ name }) => name))}"`] : []),
    ` - ${countOf(count('machine'), 'machine')} will be destroyed`,
    ` - ${countOf(count('application'), 'application')} will be removed`,
    ` - ${countOf(count('unit'), 'unit')} will be removed`,
  ];
}

/** Prints the dry run: the plan of each model, then the controller with the users' entities in its own model. */
export function showControllerPlan(
  context: CommandContext,
  controller: string,
  format: string,
  plan: ControllerPlan,
  waitOptions: WaitOptions,
): Promise<void> {
  const { error, models } = plan;
  return showPlan(context, format, {
    value: {
      accepted: error === undefined,
      ...defined({ error }),
      controller,
      models: models.map(({ name, plan }) => withNames(plan, [name])),
      'controller-model': withNames(ownPlan(plan), ['admin/controller']),
    },
    lines: () => (error ? [] : controllerLines(controller, plan, waitOptions)),
  });
}

/** Returns the lines that the dry run and the command itself have in common. */
export function controllerLines(
  controller: string,
  plan: ControllerPlan,
  waitOptions: WaitOptions,
): string[] {
  return [
    ...plan.models.flatMap((one) => planLines(one.plan, () => `will destroy model ${one.name}`, waitOptions)),
    ...planLines(ownPlan(plan), () => `will destroy controller ${controller}`, waitOptions),
  ];
}

/**
 * Waits until only the controller's own model is left, and prints what is left meanwhile. Errors: JujuError on timeout.
 */
export async function waitForModels(
  context: CommandContext,
  reach: Reach,
  timeoutMs?: number,
): Promise<void> {
  const operator = waitingOperator(context, (remaining: readonly HostedModel[]) => {
    const sum = (key: 'hosted-machine-count' | 'application-count'): number =>
      remaining.reduce((n, m) => n + (m[key] ?? 0), 0);
    const parts = [
      countOf(remaining.length, 'model'),
      countOf(sum('hosted-machine-count'), 'machine'),
      countOf(sum('application-count'), 'application'),
    ];
    return `Waiting for ${parts.filter((part) => !part.startsWith('0 ')).join(', ')}`;
  });
  await waitForNoModels(operator, reach, timeoutMs);
  context.info('All models reclaimed, cleaning up controller machines');
}

/** Location of a controller, as far as this client knows it. */
type Whereabouts =
  | { readonly kind: 'this host'; readonly dataDir: string }
  | { readonly kind: 'cloud'; readonly bootstrapped: BootstrapConfig }
  /** The controller was made by another client. */
  | { readonly kind: 'unknown' };

export async function whereIs(context: CommandContext, controller: string): Promise<Whereabouts> {
  const dataDir = await findDataDir(context, controller);
  if (dataDir !== undefined) return { kind: 'this host', dataDir };
  const bootstrapped = await (await context.store()).bootstrapConfig(controller);
  if (!bootstrapped) return { kind: 'unknown' };
  const provider = (await context.io.providers()).get(bootstrapped.type);
  return provider && provider.controllerOn !== 'this host'
    ? { kind: 'cloud', bootstrapped }
    : { kind: 'unknown' };
}

/**
 * Removes the parts of a controller, its machines and the client's records of it. `isEmpty` means that the controller
 * has no models left but its own.
 */
export async function removeController(
  context: CommandContext,
  controller: string,
  { isEmpty }: { readonly isEmpty: boolean },
): Promise<void> {
  const store = await context.store();
  const location = await whereIs(context, controller);
  if (location.kind === 'this host') {
    const { dataDir } = location;
    await withStartLock(context, dataDir, () => removeFromThisHost(context, controller, dataDir, isEmpty));
  }
  const { uuid } = (await store.controllers())[controller]!;
  if (location.kind === 'cloud') await removeFromCloud(context, location.bootstrapped, uuid);
  await forgetController(store, controller, uuid);
}

/**
 * Removes a controller of this host: first its process, which would start machines again, then everything with its
 * tags, and its data.
 */
async function removeFromThisHost(
  context: CommandContext,
  controller: string,
  dataDir: string,
  isEmpty: boolean,
): Promise<void> {
  const config = await (await context.store()).bootstrapConfig(controller);
  await context.progress('Stopping the controller', stopDaemon({ dataDir, clock: context.io.clock }));
  if (!isEmpty) await context.progress('Removing models from their clouds', endModels(context, dataDir));
  const environ = await openEnviron(context, {
    controller,
    modelUuid: config?.['controller-model-uuid'] ?? '',
    modelName: 'controller',
  });
  await context.progress(
    'Removing machines',
    environ?.destroyController(context.io.signal) ?? Promise.resolve(),
  );
  if (await removeDataDir(dataDir))
    context.info(
      `Keeping ${dataDir} for machines of models that moved to other controllers: it goes with the last of these models`,
    );
}

/**
 * Removes the models from their clouds. Errors: plain Error when a cloud refuses, because only the controller's store
 * knows what is left there.
 */
async function endModels(context: CommandContext, dataDir: string): Promise<void> {
  let failures: EndResult['failures'];
  try {
    ({ failures } = await endController(context.io, dataDir));
  } catch (error) {
    context.io.signal.throwIfAborted();
    context.warning(
      `cannot read the controller's store; only machines on this host are removed: ${(error as Error).message.split('\n')[0]}`,
    );
    return;
  }
  if (failures.length === 0) return;
  const failureLines = failures.map(({ model, message }) => `\t${model}: ${message}`);
  throw new Error(
    `cannot remove all cloud resources of the controller's models; the controller's data in ${dataDir} is kept, run the command again:\n${failureLines.join('\n')}`,
  );
}

/** Removes a controller from its cloud, with the client's own cloud and credential. */
async function removeFromCloud(
  context: CommandContext,
  bootstrapped: BootstrapConfig,
  uuid: string,
): Promise<void> {
  const provider = (await context.io.providers()).get(bootstrapped.type);
  if (provider?.controllerOn === 'host')
    return removeFromHost(context, provider, bootstrapped.endpoint ?? '');
  const environ = await reopenCloud(context, bootstrapped, uuid);
  await context.progress('Removing machines', environ.destroyController(context.io.signal));
}
