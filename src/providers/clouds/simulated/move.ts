import { join } from 'node:path';
import { tagKeys } from '../../contract/provider.ts';
import { addressFile, write, type SimulatedCloud, type Taken } from './cloud.ts';

interface Owner {
  readonly stateDir: string;
  readonly controllerUuid: string;
}

/** Moves a controller's instances, addresses and volumes of a model to another controller. */
export async function moveModel(
  cloud: SimulatedCloud,
  modelUuid: string,
  from: Owner,
  to: Owner,
): Promise<void> {
  const old = await cloud.load(from.stateDir, modelUuid);
  const tagged = <T extends { readonly tags: Readonly<Record<string, string>> }>(one: T): T => ({
    ...one,
    tags: { ...one.tags, [tagKeys.controller]: to.controllerUuid },
  });
  const records = [...old.values()].filter((one) => one.controllerUuid === from.controllerUuid);
  const [volumes, addresses] = [[...old.volumes.values()], [...old.addresses]];
  const target = await cloud.load(to.stateDir, modelUuid);
  for (const volume of volumes) await cloud.saveVolume(to.stateDir, tagged(volume));
  for (const [machineId, value] of addresses) {
    target.addresses.set(machineId, value);
    const taken: Taken = { machineId, value };
    if (to.stateDir) await write(join(to.stateDir, modelUuid), addressFile(machineId), taken);
  }
  const { controllerUuid } = to;
  const save = async (): Promise<void> => {
    for (const record of records)
      await cloud.save(to.stateDir, { ...record, controllerUuid, instance: tagged(record.instance) });
  };
  // What is written first survives a crash; what the old folder has of an instance is forgotten after it.
  await save();
  if (from.stateDir === to.stateDir || records.length + volumes.length + addresses.length === 0) return;
  old.volumes.clear();
  await cloud.forget(from.stateDir, modelUuid);
  await save();
}
