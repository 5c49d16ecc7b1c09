/**
 * Folders of this host that outlive machines (provider-rules.md#local-volumes). A model's volumes are in one folder,
 * which each of its sandboxes has from its start, so that attaching a volume is a note.
 */
import { mkdir, readdir, rename, rm, statfs, symlink } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { JujuError, notFound } from '../../../core/errors.ts';
import type { Locks } from '../../../kit/locks.ts';
import {
  ProviderError,
  tagKeys,
  type OpenParams,
  type Volume,
  type VolumeSource,
} from '../../contract/provider.ts';
import { readJson, writeJson } from '../../toolkit/json-file.ts';
import { modelFolder } from './record.ts';
import { run } from './run.ts';

interface VolumeRecord {
  readonly id: string;
  readonly size: number;
  readonly tags: Readonly<Record<string, string>>;
  readonly attachedTo?: string;
  /** Name of the released volume that it was. */
  readonly adopted?: string;
}

/** The folder of a model's volumes. */
export function volumesFolder(open: Pick<OpenParams, 'stateDir' | 'modelUuid'>): string {
  return join(modelFolder(open.stateDir, open.modelUuid), 'volumes');
}

export interface VolumesParams {
  readonly open: OpenParams;
  readonly locks: Locks;
  /** Whether the instance is there. */
  readonly exists: (instanceId: string) => Promise<boolean>;
  /** Makes the model's folder. */
  readonly prepare: () => Promise<void>;
}

export function createVolumes(params: VolumesParams): VolumeSource {
  const volumes = new Volumes(params);
  const locked = <T>(work: () => Promise<T>): Promise<T> =>
    params.locks(`volumes ${volumesFolder(params.open)}`, work);
  const each = async (ids: readonly string[], end: (id: string) => Promise<void>): Promise<void> => {
    for (const id of ids) await locked(() => end(id));
  };
  return {
    type: 'local',
    config: {},
    create: (request) => locked(() => volumes.create(request)),
    list: () => volumes.list(),
    destroy: (ids) => each(ids, (id) => volumes.destroy(id)),
    release: (ids) => each(ids, (id) => volumes.release(id)),
    // Models take from the same folder.
    adopt: (request) =>
      params.locks(`released volumes ${params.open.stateDir}`, () => locked(() => volumes.adopt(request))),
    attach: (request) => locked(() => volumes.attach(request)),
    detach: (request) => locked(() => volumes.detach(request)),
  };
}

class Volumes {
  readonly #params: VolumesParams;
  readonly #data: string;
  readonly #records: string;

  constructor(params: VolumesParams) {
    this.#params = params;
    this.#data = volumesFolder(params.open);
    this.#records = join(modelFolder(params.open.stateDir, params.open.modelUuid), 'volume-records');
  }

  async create({ id, size, tags }: Parameters<VolumeSource['create']>[0]): Promise<Volume> {
    const { prepare } = this.#params;
    if (!isVolumeId(id)) throw new ProviderError('bad request', `invalid volume id "${id}"`);
    const known = await this.#find(id);
    if (known) return this.#show(known);
    await prepare();
    await mkdir(this.#records, { recursive: true, mode: 0o700 });
    const { bavail, bsize } = await statfs(this.#records);
    const room = Math.floor((bavail * bsize) / 1024 ** 2);
    if (room < size)
      throw new ProviderError('quota', `the host has ${room} MiB left, and the storage needs ${size} MiB`);
    const record = this.#record(id, size, tags);
    await mkdir(join(this.#data, id), { recursive: true, mode: 0o755 });
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
    const record = await this.#find(id);
    if (!record) return;
    const [user] = (await this.#show(record)).attachedTo;
    if (user !== undefined)
      throw new JujuError('', `volume "${id}" is attached to instance "${user}": detach it first`);
    // The record goes last, so that an interrupted removal is found again.
    await rm(join(this.#data, id), { recursive: true, force: true });
    await rm(this.#fileOf(id), { force: true });
  }

  async release(id: string): Promise<void> {
    const record = await this.#find(id);
    if (!record) return;
    const [user] = (await this.#show(record)).attachedTo;
    if (user !== undefined)
      throw new JujuError('', `volume "${id}" is attached to instance "${user}": detach it first`);
    await mkdir(this.#released, { recursive: true, mode: 0o700 });
    const name = record.adopted ?? `${this.#params.open.modelUuid}-${id}`;
    await this.#move(join(this.#data, id), join(this.#released, name));
    await rm(this.#fileOf(id), { force: true });
  }

  /** The record comes first: a volume whose folder has not moved yet moves when it is asked for again. */
  async adopt({ id, providerId, tags }: Parameters<NonNullable<VolumeSource['adopt']>>[0]): Promise<Volume> {
    const known = await this.#find(id);
    if (known && known.adopted !== providerId) return this.#show(known);
    const [from, to] = [join(this.#released, providerId), join(this.#data, id)];
    const isReleased = /^[0-9a-z][0-9a-z-]{0,120}$/.test(providerId) && existsSync(from);
    if (!isReleased && !(known && existsSync(to))) {
      if (known) await rm(this.#fileOf(id), { force: true });
      throw notFound('volume', providerId);
    }
    await this.#params.prepare();
    await mkdir(this.#records, { recursive: true, mode: 0o700 });
    await mkdir(this.#data, { recursive: true, mode: 0o755 });
    const record = known ?? { ...this.#record(id, await sizeOf(from), tags), adopted: providerId };
    await writeJson(this.#fileOf(id), record);
    await this.#move(from, to);
    return this.#show(record);
  }

  async attach({ id, instanceId }: Parameters<VolumeSource['attach']>[0]): Promise<void> {
    const record = await this.#find(id);
    if (!record) throw notFound('volume', id);
    if (!(await this.#params.exists(instanceId))) throw notFound('instance', instanceId);
    const [user] = (await this.#show(record)).attachedTo;
    if (user !== undefined && user !== instanceId)
      throw new JujuError('', `volume "${id}" is attached to instance "${user}": detach it first`);
    if (record.attachedTo !== instanceId)
      await writeJson(this.#fileOf(id), { ...record, attachedTo: instanceId });
  }

  async detach({ id, instanceId }: Parameters<VolumeSource['detach']>[0]): Promise<void> {
    const record = await this.#find(id);
    if (record?.attachedTo !== instanceId) return;
    const { attachedTo: _, ...rest } = record;
    await writeJson(this.#fileOf(id), rest);
  }

  get #released(): string {
    return join(this.#params.open.stateDir, 'released-volumes');
  }

  /** An interrupted call had moved what is not there. */
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

  /** The volume as others see it: an instance that is gone has it no more. */
  async #show({ attachedTo, ...volume }: VolumeRecord): Promise<Volume> {
    const isThere = attachedTo !== undefined && (await this.#params.exists(attachedTo));
    return { ...volume, attachedTo: isThere ? [attachedTo] : [] };
  }
}

/** Size in MiB of what is in a folder; sizes of folders are a note only. */
async function sizeOf(folder: string): Promise<number> {
  return Math.max(Number.parseInt(await run(['du', '-sm', folder]), 10), 1);
}

/** Shows the volumes to a machine that shares the host's files. */
export async function linkVolumes(dataDir: string, volumes: string): Promise<void> {
  const link = join(dataDir, 'storage', 'volumes');
  await mkdir(join(dataDir, 'storage'), { recursive: true });
  await symlink(volumes, link).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/** Ids become names of folders. */
function isVolumeId(id: string): boolean {
  return /^[0-9a-z][0-9a-z-]{0,60}$/.test(id);
}
