/**
 * Durable records of machines: `<stateDir>/<model uuid>/model.json` and, for each machine, `<stateDir>/<model
 * uuid>/<instance id>/instance.json`, written before any kernel resource is created and removed after all are gone. The
 * files suffice to find and stop every machine.
 */
import { open, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { FirstProcess } from './first-process.ts';
import { containersAt } from './places.ts';
import { isAbsent, readJson, writeJson } from '../../toolkit/json-file.ts';
import { forgetAt } from '../../toolkit/left-behind.ts';
import { makeFolder } from '../../../kit/make-folder.ts';

export interface ModelRecord {
  readonly controllerUuid: string;
  readonly modelUuid: string;
  /** Subnet of the model, e.g. `10.88.4.0/22`; absent until a machine needs one. */
  readonly subnet?: string;
  /** State folders of controllers that had the model before, where a link leads here. */
  readonly cameFrom?: readonly string[];
}

export interface InstanceRecord extends FirstProcess {
  readonly id: string;
  readonly machineId: string;
  readonly nonce: string;
  readonly controllerUuid: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly isolation: string;
  /** `sandbox`: own root and namespaces; `process`: a plain process tree. */
  readonly kind: 'sandbox' | 'process';
  /** True when the machine sees its own volumes only; absent = it sees all folders of the model's volumes. */
  readonly ownVolumes?: true;
  /** True after the first successful start: the machine's files are then kept when a later start fails. */
  readonly started: boolean;
  /** Id of the image below the machine (images.ts); absent = the site's own files. */
  readonly image?: string;
  /** Actual base of the machine's files, where it differs from the requested one; '' when the files name none. */
  readonly runsOn?: string;
  readonly zone?: string;
  /** Index in the model's subnet, from 0; absent when the machine has the host's network. */
  readonly slot?: number;
  /** Address with prefix length; present together with `slot`. */
  readonly cidr?: string;
}

/** Slot and address of a machine in its network. */
export type Place = Pick<InstanceRecord, 'slot' | 'cidr'>;

/** Returns the folder of a model and its machines. */
export function modelFolder(stateDir: string, modelUuid: string): string {
  return join(stateDir, modelUuid);
}

export function instanceFolder(stateDir: string, modelUuid: string, instanceId: string): string {
  return join(stateDir, modelUuid, instanceId);
}

/** Returns `juju-3f9a2c-0-lxd-1` for machine 0/lxd/1, which is its hostname too (provider-rules.md#instance-names). */
export function instanceIdFor(modelUuid: string, machineId: string): string {
  return `juju-${modelUuid.slice(-6)}-${machineId.replaceAll('/', '-')}`;
}

/** Extracts `0-lxd-1` from `juju-3f9a2c-0-lxd-1`, for machines without a record; undefined for ids of other models. */
export function machineNamedBy(modelUuid: string, instanceId: string): string | undefined {
  const prefix = instanceIdFor(modelUuid, '');
  return instanceId.startsWith(prefix) ? instanceId.slice(prefix.length) : undefined;
}

/** Validates an id, which users may have entered: an invalid one must not become a path. */
export function isInstanceId(text: string): boolean {
  return /^juju-[0-9a-f]{6}-[0-9a-z][0-9a-z-]*$/.test(text);
}

/** Returns the host `juju-3f9a2c-0` of the container `juju-3f9a2c-0-lxd-1`; undefined for other ids. */
export function containerHost(instanceId: string): string | undefined {
  return /^(juju-[0-9a-f]{6}-[0-9a-z-]+)-[a-z]+-\d+$/.exec(instanceId)?.[1];
}

export function readModel(folder: string): Promise<ModelRecord | undefined> {
  return readJson<ModelRecord>(join(folder, 'model.json'));
}

export async function writeModel(folder: string, record: ModelRecord): Promise<void> {
  await makeFolder(folder, 0o700);
  await writeJson(join(folder, 'model.json'), record);
}

export function readInstance(folder: string): Promise<InstanceRecord | undefined> {
  return readJson<InstanceRecord>(join(folder, 'instance.json'));
}

export async function writeInstance(folder: string, record: InstanceRecord): Promise<void> {
  await makeFolder(folder, 0o700);
  await writeJson(join(folder, 'instance.json'), record);
}

/** Lists the names of a model's machine folders, leftovers of crashes included. */
export async function listInstanceIds(folder: string): Promise<string[]> {
  return (await list(folder)).filter(isInstanceId);
}

/** Lists the models with files in the folder, those of one controller or all. */
export async function listModels(stateDir: string, controllerUuid?: string): Promise<ModelRecord[]> {
  const records = await Promise.all((await list(stateDir)).map((name) => readModel(join(stateDir, name))));
  return records.filter(
    (record) => record && (controllerUuid === undefined || record.controllerUuid === controllerUuid),
  ) as ModelRecord[];
}

/** Lists the ids of the images used by all machines in the folder and the containers on them. */
export async function listUsedImages(stateDir: string): Promise<Set<string>> {
  const used = new Set<string>();
  for (const model of await list(stateDir)) {
    for (const id of await listInstanceIds(join(stateDir, model))) {
      const folder = join(stateDir, model, id);
      const image = (await readInstance(folder))?.image;
      if (image !== undefined) used.add(image);
      // The machine itself writes this folder, so its content is untrusted.
      const within = await listUsedImages(join(folder, 'data', containersAt)).catch(() => []);
      for (const one of within) used.add(one);
    }
  }
  return used;
}

/** Removes a machine's folder, the record last, so that an interrupted removal is found again. */
export async function removeInstance(folder: string): Promise<void> {
  const names = (await list(folder)).filter((name) => name !== 'instance.json');
  for (const name of names) await rm(join(folder, name), { recursive: true, force: true, maxRetries: 5 });
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Removes the folder if it is empty; a folder in use never is. */
export async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch(() => undefined);
}

/** Removes the model's folder, and what controllers that had the model before have left for it. */
export async function removeModelFolder(folder: string): Promise<void> {
  const record = await readModel(folder);
  for (const stateDir of record?.cameFrom ?? []) await forgetAt(stateDir, basename(folder));
  await rm(join(folder, 'slots'), { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
}

/** Takes the first free number below `limit` for an owner. Each number is one file, so no two owners can share it. */
export async function takeSlot(folder: string, owner: string, limit: number): Promise<number | undefined> {
  const slots = join(folder, 'slots');
  await makeFolder(slots);
  const taken = new Set(await list(slots));
  for (let slot = 0; slot < limit; slot++) {
    if (taken.has(String(slot))) continue;
    try {
      await using file = await open(join(slots, String(slot)), 'wx');
      await file.writeFile(owner);
      return slot;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  return undefined;
}

/** Lists the owners of numbers, without duplicates. */
export async function listSlotOwners(folder: string): Promise<string[]> {
  const owners: string[] = [];
  await slotsOf(folder, (owner) => owners.push(owner) > 0);
  return owners;
}

/** Returns the owner's number, if any. */
export async function slotOf(folder: string, owner: string): Promise<number | undefined> {
  const [name] = await slotsOf(folder, (other) => other === owner);
  return name === undefined ? undefined : Number(name);
}

/** Releases all numbers of the owners; needed when a crash came before a record could name the number. */
export async function releaseSlots(folder: string, isOwner: (owner: string) => boolean): Promise<void> {
  for (const name of await slotsOf(folder, isOwner)) await rm(join(folder, 'slots', name), { force: true });
}

async function slotsOf(folder: string, isOwner: (owner: string) => boolean): Promise<string[]> {
  const names = await list(join(folder, 'slots'));
  const owners = await Promise.all(
    names.map((name) => readFile(join(folder, 'slots', name), 'utf8').catch(() => '')),
  );
  return names.filter((_, index) => isOwner(owners[index] ?? ''));
}

async function list(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}
