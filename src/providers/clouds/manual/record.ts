import { hash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Address } from '../../../core/machine/document.ts';
import type { Hardware } from '../../../core/machine/hardware.ts';
import { isAbsent, readJson, writeJson } from '../../toolkit/json-file.ts';
import { tagKeys, type Instance } from '../../contract/provider.ts';
import type { SshTarget } from '../../toolkit/ssh/ssh.ts';
import { makeFolder } from '../../../kit/make-folder.ts';

/** Record of a host that is, or is about to become, a machine; written before the host is touched. */
export interface HostRecord {
  readonly id: string;
  readonly controllerUuid: string;
  readonly modelUuid: string;
  readonly machineId: string;
  readonly nonce: string;
  readonly target: SshTarget;
  readonly tags: Readonly<Record<string, string>>;
  /** Facts about the machine; absent until the installation is complete. */
  readonly made?: { readonly hardware: Hardware; readonly addresses: readonly Address[] };
}

/** Records of hosts, one file each, for all models. */
export class HostRecords {
  readonly #folder: string;

  constructor(stateDir: string) {
    this.#folder = join(stateDir, 'manual');
  }

  get(id: string): Promise<HostRecord | undefined> {
    return readJson<HostRecord>(this.#file(id));
  }

  async list(): Promise<HostRecord[]> {
    try {
      const names = (await readdir(this.#folder)).filter((name) => name.endsWith('.json')).sort();
      const read = await Promise.all(names.map((name) => readJson<HostRecord>(join(this.#folder, name))));
      return read.filter((record) => record !== undefined);
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
  }

  async put(record: HostRecord): Promise<void> {
    await makeFolder(this.#folder, 0o700);
    await writeJson(this.#file(record.id), record);
  }

  remove(id: string): Promise<void> {
    return rm(this.#file(id), { force: true });
  }

  #file(id: string): string {
    return join(this.#folder, `${hash('sha256', id)}.json`);
  }
}

export function instanceOf(record: HostRecord): Instance {
  const { id, tags, made, modelUuid, controllerUuid, machineId, nonce } = record;
  return {
    id,
    displayName: id,
    status: made ? 'running' : 'pending',
    message: made ? 'Manually provisioned machine' : '',
    addresses: made?.addresses ?? [],
    tags: {
      ...tags,
      [tagKeys.model]: modelUuid,
      [tagKeys.controller]: controllerUuid,
      [tagKeys.machine]: machineId,
      [tagKeys.nonce]: nonce,
    },
    isolation: '',
  };
}
