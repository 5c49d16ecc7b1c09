import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import type { Retry } from '../retry.ts';
import { ofModel } from '../quota.ts';
import { describeStorage } from './history.ts';

/**
 * A storage of a charm: a file system or a disk, what holds its data, and the unit that uses it
 * (storage.md#one-record). Model space; id = `<name>/<number>`: `data/0`. The record stays until its data are destroyed
 * or released, so that no volume is ever without a record.
 */
export interface StorageDoc {
  readonly id: string;
  /** Name of the storage in the charm's metadata: `data`. */
  readonly name: string;
  readonly type: StorageType;
  /** Set once the storage's removal was requested: its data are destroyed, or left in the cloud. Never taken back. */
  readonly ending?: StorageEnding;
  readonly pool: string;
  readonly provider: string;
  /** Settings of the pool when the storage was made. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Requested size in MiB. */
  readonly size: number;
  /** Number of the file system, or of the volume of a disk: `0/3` on machine 0, else `3`. */
  readonly number: string;
  /** Number of the volume that its file system is on; absent = none. */
  readonly volume?: string;
  /** The cloud's id of the volume that is being taken into the model; absent once it is (storage.md#importing). */
  readonly adopting?: string;
  /** Whether the data outlive the machine. */
  readonly detachable: boolean;
  /** The unit that uses the storage; absent while it is detached. */
  readonly attachment?: StorageAttachment;
  /** The machine that the storage is on, or is to be on. */
  readonly machine?: string;
  /** The instance that the cloud's volume was, or may have been, attached to: written before the cloud is asked. */
  readonly instance?: string;
  /** True when the volume is attached to that instance. */
  readonly attached?: true;
  /** The volume, file system or disk that holds the data, once it is made. */
  readonly made?: {
    readonly providerId: string;
    readonly size: number;
    /** Something that the volume lacks, in the cloud's words; absent = nothing. */
    readonly lack?: string;
  };
  /**
   * The path at which the machine's agent has mounted the storage, or of the disk's device; '' = it may have been
   * mounted when the unit left (storage.md#storage-steps).
   */
  readonly mounted?: string;
  /** Name of the storage's block device on the machine, while it has one: `loop0`. */
  readonly device?: string;
  /** The last failure to make, mount or destroy the storage; absent after a success. */
  readonly problem?: string;
  /** When the failed step is tried again; absent with `problem`, or when its agent does not say. */
  readonly retry?: Retry;
  readonly createdAt: string;
  /** RFC 3339: when its status changed last. */
  readonly since: string;
}
export type StorageType = 'filesystem' | 'block';
export type StorageEnding = 'destroy' | 'release';

interface StorageAttachment {
  readonly unit: string;
  readonly life: 'alive' | 'dying';
  /** The path to mount the storage at; '' = in the agent's own folder. */
  readonly location: string;
  readonly readOnly: boolean;
}

/** Number of the volume of a disk, or of that below a file system; undefined = there is none. */
export function volumeOf({ type, number, volume }: StorageDoc): string | undefined {
  return type === 'block' ? number : volume;
}

/** The volume's name, for files and clients: `volume-0-3`. */
export function volumeName(number: string): string {
  return `volume-${number.replaceAll('/', '-')}`;
}

export const storage = defineKind<StorageDoc>()({
  space: 'model',
  idOf: ({ id }) => id,
  indexes: {
    unit: (doc) => doc.attachment?.unit,
    machine: (doc) => doc.machine,
    pool: (doc) => doc.pool,
    /** Storage that no unit uses. */
    detached: (doc) => (doc.attachment ? undefined : 'detached'),
    /** Storage that outlives its machine. */
    detachable: (doc) => (doc.detachable ? 'detachable' : undefined),
  },
  findRemovedBy: ['unit', 'machine'],
  quota: {
    measures: [{ limit: limits.storageAttributes, members: ['attributes'] }],
    counts: [{ limit: limits.storages, ...ofModel }],
  },
  upkeep: 'old',
  describe: describeStorage,
});
