/**
 * Disks of this host that outlive machines (provider-rules.md#local-volumes): files with a file system of their own,
 * linked into the folder that a machine sees; where there are no loop devices, folders, which every machine of the
 * model sees.
 */
import { link, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '../../../core/defined.ts';
import { JujuError, notFound } from '../../../core/errors.ts';
import type { Locks } from '../../../kit/locks.ts';
import { freeLoops, makeDisk, roomAt, unfinishedDisk } from '../../../kit/loop-devices.ts';
import {
  ProviderError,
  tagKeys,
  type OpenParams,
  type Volume,
  type VolumeSource,
} from '../../contract/provider.ts';
import { readJson, writeJson } from '../../toolkit/json-file.ts';
import { releaseMounts } from './loops.ts';
import { modelFolder } from './record.ts';
import { run } from './run.ts';
import { makeFolder } from '../../../kit/make-folder.ts';

interface VolumeRecord {
  readonly id: string;
  readonly size: number;
  readonly tags: Readonly<Record<string, string>>;
  /** True when the volume is a file; absent = a folder. */
  readonly isFile?: true;
  /** True until the volume's data are made. */
  readonly unfinished?: true;
  readonly attachedTo?: string;
  /** Name of the released volume that this one was before it was adopted. */
  readonly adopted?: string;
}

/** Machine as its volumes need it. */
export interface VolumesMachine {
  /** Folder of the volumes that only this machine sees; absent = the machine sees all volumes of the model. */
  readonly ownVolumes?: string;
  /** Pid of the machine's first process; absent = the machine does not run. */
  readonly pid?: number;
}

/** Returns the folder of those volumes of a model that are folders. */
export function volumesFolder(open: Pick<OpenParams, 'stateDir' | 'modelUuid'>): string {
  return join(modelFolder(open.stateDir, open.modelUuid), 'volumes');
}

/** Returns the folder of the volumes that only this machine sees. */
export function ownVolumesFolder(machineFolder: string): string {
  return join(machineFolder, 'volumes');
}

interface VolumesParams {
  readonly open: OpenParams;
  readonly locks: Locks;
  /** Whether this host has loop devices for machines. */
  readonly loops: boolean;
  readonly machine: (instanceId: string) => Promise<VolumesMachine | undefined>;
  /** Makes the model's folder. */
  readonly prepare: () => Promise<void>;
}

export function createVolumes(params: VolumesParams): VolumeSource {
  const volumes = new Volumes(params);
  const locked = <T>(id: string, work: () => Promise<T>): Promise<T> =>
    params.locks(`volume ${id} of ${volumesFolder(params.open)}`, work);
  const each = async (ids: readonly string[], end: (id: string) => Promise<void>): Promise<void> => {
    for (const id of ids) await locked(id, () => end(id));
  };
  return {
    type: 'local',
    config: {},
    create: (request) => locked(request.id, () => volumes.create(request)),
    list: () => volumes.list(),
    destroy: (ids) => each(ids, (id) => volumes.destroy(id)),
    release: (ids) => each(ids, (id) => volumes.release(id)),
    // Every model adopts volumes from the same folder.
    adopt: (request) =>
      params.locks(`released volumes ${params.open.stateDir}`, () =>
        locked(request.id, () => volumes.adopt(request)),
      ),
    attach: (request) => locked(request.id, () => volumes.attach(request)),
    detach: (request) => locked(request.id, () => volumes.detach(request)),
  };
}

class Volumes {
  readonly #params: VolumesParams;
  readonly #folders: string;
  readonly #records: string;

  constructor(params: VolumesParams) {
    this.#params = params;
    this.#folders = volumesFolder(params.open);
    this.#records = join(modelFolder(params.open.stateDir, params.open.modelUuid), 'volume-records');
  }

  /** Creates a volume. The record comes first: an incomplete volume is found by its record. */
  async create({ id, size, tags }: Parameters<VolumeSource['create']>[0]): Promise<Volume> {
    if (!isVolumeId(id)) throw new ProviderError('bad request', `invalid volume id "${id}"`);
    const known = await this.#find(id);
    if (known && !known.unfinished) return this.#show(known);
    await this.#prepare();
    const room = await roomAt(this.#records);
    if (room < size)
      throw new ProviderError('quota', `the host has ${room} MiB left, and the storage needs ${size} MiB`);
    const record = { ...this.#record(id, size, tags), ...(this.#params.loops && { isFile: true as const }) };
    await writeJson(this.#fileOf(id), { ...record, unfinished: true });
    if (record.isFile) await makeDisk(this.#dataOf(record), size, 'ext4');
    else await makeFolder(this.#dataOf(record), 0o755);
    await writeJson(this.#fileOf(id), record);
    return this.#show(record);
  }

  async list(): Promise<readonly Volume[]> {
    const names = await readdir(this.#records).catch(() => []);
    const found = await Promise.all(
      names
        .filter((name) => name.endsWith('.json'))
        .map((name) => readJson<VolumeRecord>(join(this.#records, name))),
    );
    return Promise.all(found.flatMap((record) => (record ? [this.#show(record)] : [])));
  }

  async destroy(id: string): Promise<void> {
    const record = await this.#free(id);
    if (!record) return;
    // The record goes last, so that an interrupted removal is found again.
    const data = this.#dataOf(record);
    for (const path of [data, unfinishedDisk(data)]) await rm(path, { recursive: true, force: true });
    await rm(this.#fileOf(id), { force: true });
  }

  async release(id: string): Promise<void> {
    const record = await this.#free(id);
    if (!record) return;
    await makeFolder(this.#released, 0o700);
    const name = record.adopted ?? `${this.#params.open.modelUuid}-${id}`;
    await this.#move(this.#dataOf(record), join(this.#released, name));
    await rm(this.#fileOf(id), { force: true });
  }

  /**
   * Adopts a released volume. The record comes first: a volume whose data have not moved yet moves at the next request
   * for it.
   */
  async adopt({ id, providerId, tags }: Parameters<NonNullable<VolumeSource['adopt']>>[0]): Promise<Volume> {
    const known = await this.#find(id);
    if (known && known.adopted !== providerId) return this.#show(known);
    const from = join(this.#released, providerId);
    const isReleased = /^[0-9a-z][0-9a-z-]{0,120}$/.test(providerId) && existsSync(from);
    if (!isReleased && !(known && existsSync(this.#dataOf(known)))) {
      if (known) await rm(this.#fileOf(id), { force: true });
      throw notFound('volume', providerId);
    }
    await this.#prepare();
    const record = known ?? { ...this.#record(id, 0, tags), ...(await sizeOf(from)), adopted: providerId };
    await writeJson(this.#fileOf(id), record);
    await this.#move(from, this.#dataOf(record));
    return this.#show(await this.#asFile(record));
  }

  async attach({ id, instanceId }: Parameters<VolumeSource['attach']>[0]): Promise<void> {
    const found = await this.#find(id);
    if (!found) throw notFound('volume', id);
    const machine = await this.#params.machine(instanceId);
    if (!machine) throw notFound('instance', instanceId);
    const [user] = (await this.#show(found)).attachedTo;
    if (user !== undefined && user !== instanceId) throw this.#inUse(id, user);
    const { ownVolumes } = machine;
    const record = ownVolumes === undefined ? found : await this.#asFile(found);
    if (record.attachedTo !== instanceId) {
      // Machines that have just ended may still hold the volume's loop device.
      if (record.isFile) await freeLoops(this.#dataOf(record));
      await writeJson(this.#fileOf(id), { ...record, attachedTo: instanceId });
    }
    if (record.isFile) await linkOnce(this.#dataOf(record), join(ownVolumes ?? this.#folders, id));
  }

  async detach({ id, instanceId }: Parameters<VolumeSource['detach']>[0]): Promise<void> {
    const record = await this.#find(id);
    if (record?.attachedTo !== instanceId) return;
    if (record.isFile) {
      const machine = await this.#params.machine(instanceId);
      await releaseMounts(this.#dataOf(record), machine?.pid);
      await rm(join(machine?.ownVolumes ?? this.#folders, id), { force: true });
    }
    const { attachedTo: _, ...rest } = record;
    await writeJson(this.#fileOf(id), rest);
  }

  /** Returns the record of a volume that no instance has. */
  async #free(id: string): Promise<VolumeRecord | undefined> {
    const record = await this.#find(id);
    const [user] = record ? (await this.#show(record)).attachedTo : [];
    if (user !== undefined) throw this.#inUse(id, user);
    if (record?.isFile) {
      await freeLoops(this.#dataOf(record));
      // The folder may be left over from a volume that was a folder, or from what an earlier machine saw.
      await rm(join(this.#folders, id), { recursive: true, force: true });
    }
    return record;
  }

  /**
   * Returns the volume as a file, where this host can have it: a folder that was made without loop devices becomes one.
   */
  async #asFile(record: VolumeRecord): Promise<VolumeRecord> {
    if (record.isFile || !this.#params.loops) return record;
    const folder = this.#dataOf(record);
    // The size includes what the file system itself needs.
    const size = Math.max(record.size, Math.ceil((await usedIn(folder)) * 1.2) + 16);
    const changed = { ...record, isFile: true as const, size };
    // Data that a crash has left may be older than the folder.
    await rm(this.#dataOf(changed), { force: true });
    await makeDisk(this.#dataOf(changed), size, { filesOf: folder });
    await writeJson(this.#fileOf(record.id), changed);
    await rm(folder, { recursive: true, force: true });
    return changed;
  }

  async #prepare(): Promise<void> {
    await this.#params.prepare();
    await makeFolder(this.#records, 0o700);
    await makeFolder(this.#folders, 0o755);
  }

  #inUse(id: string, instanceId: string): JujuError {
    return new JujuError('', `volume "${id}" is attached to instance "${instanceId}": detach it first`);
  }

  #dataOf({ id, isFile }: VolumeRecord): string {
    return isFile ? join(this.#records, `${id}.img`) : join(this.#folders, id);
  }

  get #released(): string {
    return join(this.#params.open.stateDir, 'released-volumes');
  }

  /** Moves data; ENOENT means that an interrupted call has moved them already. */
  async #move(from: string, to: string): Promise<void> {
    await rename(from, to).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }

  #record(id: string, size: number, tags: VolumeRecord['tags']): VolumeRecord {
    const { modelUuid, controllerUuid } = this.#params.open;
    return { id, size, tags: { ...tags, [tagKeys.model]: modelUuid, [tagKeys.controller]: controllerUuid } };
  }

  #fileOf(id: string): string {
    return join(this.#records, `${id}.json`);
  }

  async #find(id: string): Promise<VolumeRecord | undefined> {
    return isVolumeId(id) ? await readJson<VolumeRecord>(this.#fileOf(id)) : undefined;
  }

  /** Returns the volume as callers see it: an instance that is gone does not have it any more. */
  async #show({ attachedTo, id, size, tags, isFile }: VolumeRecord): Promise<Volume> {
    const isThere = attachedTo !== undefined && (await this.#params.machine(attachedTo)) !== undefined;
    const lack = isFile
      ? undefined
      : 'a folder without a size of its own: the host has no loop devices for it';
    return { id, size, tags, attachedTo: isThere ? [attachedTo] : [], ...defined({ lack }) };
  }
}

/** Returns the kind and size of a released volume. */
async function sizeOf(path: string): Promise<Pick<VolumeRecord, 'size' | 'isFile'>> {
  const found = await stat(path);
  if (found.isFile()) return { size: Math.floor(found.size / 1024 ** 2), isFile: true };
  return { size: Math.max(await usedIn(path), 1) };
}

/** Returns the size in MiB of a folder's content. */
async function usedIn(folder: string): Promise<number> {
  return Number.parseInt(await run(['du', '-sm', folder]), 10);
}

async function linkOnce(file: string, path: string): Promise<void> {
  await link(file, path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    const [found, wanted] = await Promise.all([stat(path), stat(file)]);
    if (found.ino !== wanted.ino) throw new Error(`${path} is not the file of the volume`);
  });
}

/** Shows the volumes to a machine that shares the host's files. */
export async function linkVolumes(dataDir: string, volumes: string): Promise<void> {
  const link = join(dataDir, 'storage', 'volumes');
  await makeFolder(join(dataDir, 'storage'));
  await symlink(volumes, link).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/** Ids become names of folders. */
function isVolumeId(id: string): boolean {
  return /^[0-9a-z][0-9a-z-]{0,60}$/.test(id);
}
