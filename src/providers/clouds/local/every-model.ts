/** Operations on all models of a controller on this host. */
import { tagKeys, type Instance } from '../../contract/provider.ts';
import { Machines } from './instances.ts';
import { listModels } from './record.ts';
import type { MachinesParams } from './site.ts';

/** Removes everything of every model of the controller. */
export async function destroyEveryModel(params: MachinesParams, signal: AbortSignal): Promise<void> {
  const { stateDir, controllerUuid } = params.open;
  for (const { modelUuid } of await listModels(stateDir, controllerUuid)) {
    await new Machines({ ...params, open: { ...params.open, modelUuid } }).destroy(signal);
  }
}

/** Lists the machines of all the controller's models that run a controller. */
export async function listControllers(params: MachinesParams): Promise<Instance[]> {
  const { stateDir, controllerUuid } = params.open;
  const found: Instance[] = [];
  for (const { modelUuid } of await listModels(stateDir, controllerUuid)) {
    const instances = await new Machines({ ...params, open: { ...params.open, modelUuid } }).list();
    found.push(...instances.filter((instance) => instance.tags[tagKeys.isController] === 'true'));
  }
  return found;
}
