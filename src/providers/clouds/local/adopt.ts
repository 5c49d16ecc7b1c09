/**
 * Taking over a model's machines from another controller of this host (migration.md#take-over): the model's folder
 * moves to this controller's, and the records in it get this controller's uuid. The machines run on: they have their
 * files open, and a link at the old place leads the paths that they know to the new one.
 */
import { lstat, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { JujuError } from '../../../core/errors.ts';
import { makeFolder } from '../../../kit/make-folder.ts';
import { tagKeys, type AdoptParams, type Environ } from '../../contract/provider.ts';
import { isAbsent, readJson, writeJson } from '../../toolkit/json-file.ts';
import { imagesFolder } from './images.ts';
import { isLink } from '../../toolkit/left-behind.ts';
import {
  listInstanceIds,
  modelFolder,
  readInstance,
  readModel,
  writeInstance,
  writeModel,
} from './record.ts';
import type { MachinesParams } from './site.ts';

/** The state folder tells another controller where the model's machines are. */
export function adoption(params: MachinesParams): NonNullable<Environ['migration']> {
  const { stateDir, modelUuid } = params.open;
  return {
    ticket: stateDir,
    check: (from) => check(params, from),
    adopt: (from) => params.locks(modelFolder(stateDir, modelUuid), () => adopt(params, from)),
  };
}

async function check({ open }: MachinesParams, { ticket, from, machines }: AdoptParams): Promise<void> {
  const there = modelFolder(ticket, open.modelUuid);
  const record = await readModel(there);
  if (!record && machines === 0) return;
  if (record?.controllerUuid !== from)
    throw refused(`its machines are not on the host of this controller: ${there} is not there`);
  await makeFolder(open.stateDir, 0o700);
  if ((await stat(there)).dev !== (await stat(open.stateDir)).dev)
    throw refused(`${there} and ${open.stateDir} are on different file systems`);
  for (const id of await listInstanceIds(there)) {
    const instance = await readInstance(join(there, id));
    if (instance?.kind === 'process')
      throw refused(`machine ${instance.machineId} is no sandbox, but processes of its host`);
    if (instance?.image !== undefined && !(await exists(join(imagesFolder(open.stateDir), instance.image))))
      throw refused(`machine ${instance.machineId} runs on image ${instance.image}, which is not here`);
  }
}

async function adopt({ open }: MachinesParams, { ticket, from }: AdoptParams): Promise<void> {
  const { stateDir, modelUuid, controllerUuid } = open;
  const [there, here] = [modelFolder(ticket, modelUuid), modelFolder(stateDir, modelUuid)];
  // A model that comes back finds the link to where it was.
  if (await isLink(here)) await rm(here);
  if (!(await exists(here))) {
    const record = await readModel(there);
    // A model that never had a machine has no folder.
    if (!record) return;
    if (record.controllerUuid !== from) throw refused(`${there} belongs to another controller`);
    await makeFolder(stateDir, 0o700);
    await rename(there, here);
  }
  const record = await readModel(here);
  if (!record) return;
  if (!(await exists(there)) && (await exists(ticket))) await symlink(here, there);
  if (record.controllerUuid === controllerUuid) return;
  if (record.controllerUuid !== from) throw refused(`${here} belongs to another controller`);
  for (const id of await listInstanceIds(here)) {
    const instance = await readInstance(join(here, id));
    if (!instance) continue;
    const tags = { ...instance.tags, [tagKeys.controller]: controllerUuid };
    await writeInstance(join(here, id), { ...instance, controllerUuid, tags });
  }
  for (const file of await volumeRecords(here)) {
    const volume = await readJson<{ readonly tags: Readonly<Record<string, string>> }>(file);
    if (volume)
      await writeJson(file, { ...volume, tags: { ...volume.tags, [tagKeys.controller]: controllerUuid } });
  }
  // The model's record goes last: until then, an interrupted adoption goes on.
  const cameFrom = [...new Set([...(record.cameFrom ?? []), ticket])].filter((one) => one !== stateDir);
  await writeModel(here, { ...record, controllerUuid, cameFrom });
}

async function volumeRecords(folder: string): Promise<string[]> {
  const records = join(folder, 'volume-records');
  if (!(await exists(records))) return [];
  return (await readdir(records)).filter((name) => name.endsWith('.json')).map((name) => join(records, name));
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

function refused(why: string): JujuError {
  return new JujuError('not supported', why);
}
