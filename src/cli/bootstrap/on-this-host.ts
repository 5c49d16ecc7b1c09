import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CommandContext } from '../context.ts';
import { startNewDaemon, stopDaemon } from '../daemon.ts';
import { controllerDataDir, removeDataDir } from '../local-controller.ts';
import {
  adminAccount,
  bootstrapConfig,
  controllerDetails,
  logInFirst,
  type BootstrappedController,
} from './describe.ts';
import { newPassword } from './new-ids.ts';
import type { BootstrapPlan } from './plan.ts';
import { defined } from '../../core/defined.ts';

/** Bootstraps a controller as a process on this host. On failure everything that was made is removed. */
export async function bootstrapOnThisHost(context: CommandContext, plan: BootstrapPlan): Promise<void> {
  const { name, flags } = plan;
  if (flags.bootstrapBase || flags.bootstrapSeries)
    context.warning('--bootstrap-base is ignored: this host has its own base');
  const store = await context.store();
  const dataDir = flags.dataDir
    ? resolve(context.io.cwd, flags.dataDir)
    : controllerDataDir(context.io, name);
  const controller = await make(context, plan, dataDir);
  try {
    await store.addController(name, controllerDetails(plan, controller), adminAccount(controller.password));
    await store.setBootstrapConfig(name, bootstrapConfig(plan, controller));
    await store.addModel(name, 'admin/controller', { uuid: controller.modelUuid, type: 'iaas' });
    context.info('Contacting Juju controller to verify accessibility...');
    await logInFirst(context, plan, controller);
  } catch (error) {
    await store.removeController(name);
    if (!flags.keepBroken) {
      await stopDaemon({ dataDir, clock: context.io.clock });
      await removeDataDir(dataDir);
    }
    throw error;
  }
}

/** Makes the controller's files and starts its process. */
async function make(
  context: CommandContext,
  plan: BootstrapPlan,
  dataDir: string,
): Promise<BootstrappedController> {
  const { io } = context;
  const { name, chosen, requested, flags } = plan;
  const { cloud, region, credential, spec } = chosen;
  // The folder must be empty, because a failed bootstrap removes it with all of its contents.
  const existingFiles = await readdir(dataDir).catch(() => []);
  if (existingFiles.length > 0)
    throw new Error(`directory ${dataDir} is not empty; choose another --data-dir`);
  const password = newPassword(io);
  try {
    const options = { dataDir, clock: io.clock, signal: io.signal };
    const daemon = await startNewDaemon(options, {
      name,
      cloud: {
        name: cloud.name,
        type: cloud.type,
        region,
        regions: cloud.regions,
        config: spec.config,
        endpoint: cloud.endpoint,
        ...defined({
          caCertificates: cloud.caCertificates,
          skipTlsVerify: cloud.skipTlsVerify || undefined,
        }),
      },
      ...defined({ credential }),
      adminUser: 'admin',
      adminPassword: password,
      config: plan.config,
      modelConfig: plan.modelConfig,
      modelDefaults: plan.modelDefaults,
      constraints: requested.constraints,
      bootstrapConstraints: requested.bootstrapConstraints,
      ...defined({ placement: requested.directive || undefined }),
    });
    const init = await context.progress('Creating the controller', daemon.made);
    for (const warning of init.warnings) context.warning(warning);
    context.info(`Launching controller on this host (data in ${dataDir})`);
    await context.progress('Waiting for the controller', daemon.serves());
    return { ...init, password, whereabouts: { 'data-dir': dataDir } };
  } catch (error) {
    if (!flags.keepBroken) await removeDataDir(dataDir);
    throw error;
  }
}
