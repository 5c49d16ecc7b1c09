/** Storage of a simulated machine: folders, mounts and their contents. Volumes of the cloud outlive it. */
import { defined } from '../../core/defined.ts';
import type { StorageHost } from '../../agent/machine/storage-worker.ts';
import {
  volumeName,
  type SimulatedCloud,
  type SimulatedVolume,
} from '../../providers/clouds/simulated/index.ts';
import { volumesAt } from '../../providers/contract/volumes.ts';
import type { StorageRecord } from '../../wire/agent-records.ts';
import type { Faults } from './faults.ts';
import type { SimProcess } from './process.ts';
import type { UsedStorage } from './behaviour.ts';

/** Storage on a machine's own disk. */
export class StorageDisk {
  /** Folders by the path of the storage: `rootfs/0/3`. */
  readonly folders = new Map<string, UsedStorage>();
  /** Mounts that were written down, by storage, with the content that they show. */
  readonly noted = new Map<string, UsedStorage>();
  /** Paths of storage by id: of its mount or its disk; a reboot clears them. */
  readonly mounted = new Map<string, string>();
  /** Loop devices by storage; after a reboot each gets another name. */
  readonly devices = new Map<string, string>();
  #nextDevice = 0;

  /** Returns what a charm sees of its storage at the path; undefined = the storage is not there. */
  use(id: string, path: string): UsedStorage | undefined {
    return this.mounted.get(id) === path ? this.noted.get(id) : undefined;
  }

  attach(id: string): string {
    const device = this.devices.get(id) ?? `loop${this.#nextDevice++}`;
    this.devices.set(id, device);
    return device;
  }

  /** Makes storage known that the machine has had before the world began. */
  find({ id, folder, path, device }: FoundStorage, instance: string): void {
    const contents: UsedStorage = folder === undefined ? { text: '' } : { text: '', instance };
    if (folder !== undefined) this.folders.set(folder, contents);
    if (path === undefined) return;
    this.noted.set(id, contents);
    this.mounted.set(id, path);
    if (device !== undefined) this.devices.set(id, device);
  }

  /** Must be called when the machine was turned off. */
  off(): void {
    this.mounted.clear();
    this.devices.clear();
  }
}

/** Storage that a machine has had before the world began. */
export interface FoundStorage {
  readonly id: string;
  /** Where the machine's own disk holds it; absent = a volume of the cloud does. */
  readonly folder?: string;
  /** Path of its mount or its disk; absent = it is not mounted. */
  readonly path?: string;
  readonly device?: string;
}

/** Contents of the cloud's volumes. */
export class VolumeContents {
  readonly #contents = new Map<string, UsedStorage>();
  readonly #textAtFirst: (volume: string) => string;

  /** Creates the contents. `textAtFirst`: of a volume before any charm has used it; default: none. */
  constructor(textAtFirst: (volume: string) => string = () => '') {
    this.#textAtFirst = textAtFirst;
  }

  of(one: SimulatedVolume): UsedStorage {
    const volume = volumeName(one);
    let contents = this.#contents.get(volume);
    if (!contents) this.#contents.set(volume, (contents = { text: this.#textAtFirst(volume), volume }));
    return contents;
  }
}

const stepMs = [5, 2_000] as const;
/** Maximum time for which a step hangs. */
const hungMs = 15 * 60_000;

export function simStorageHost(options: {
  readonly process: SimProcess;
  readonly disk: StorageDisk;
  readonly faults: Faults;
  readonly instance: string;
  readonly modelUuid: string;
  readonly volumes: VolumeContents;
  readonly cloud: Pick<SimulatedCloud, 'volumes'>;
}): StorageHost {
  const { process, disk, faults, instance, modelUuid, volumes, cloud } = options;
  /** Carries out a step after a while, which may be long; a failure comes before or after the step has its effect. */
  const step = async (what: string, act: () => void): Promise<void> => {
    if (faults.happens('mount-hung'))
      await process.clock.sleep(faults.stream('mount-hung').skewed(30_000, hungMs));
    await process.clock.sleep(process.random.skewed(...stepMs));
    const fails = faults.happens('mount-failed');
    const isDone = !fails || faults.stream('mount-failed').chance(0.5);
    if (isDone && process.does('storage', what)) act();
    if (fails) throw new Error('simulated mount-failed');
  };
  const sourceOf = (storage: StorageRecord): UsedStorage => {
    const { id, detachable, number } = storage;
    if (!detachable) {
      const contents = disk.folders.get(placeOf(storage));
      if (!contents) throw new Error(`there is no folder of storage ${id}`);
      return contents;
    }
    const volume = cloud
      .volumes()
      .find((one) => one.modelUuid === modelUuid && one.tags['juju-storage-instance'] === id);
    if (volume?.attachedTo !== instance) throw new Error(`${volumesAt}/${number} is not there`);
    return volumes.of(volume);
  };
  const undo = (id: string): void => {
    disk.noted.delete(id);
    disk.mounted.delete(id);
    disk.devices.delete(id);
  };
  return {
    async make(storage) {
      const path = placeOf(storage);
      await step(`make ${storage.id}`, () => {
        if (!disk.folders.has(path)) disk.folders.set(path, { text: '', instance });
      });
      return storage.size;
    },
    async mount(storage) {
      const { id, type, volume } = storage;
      if (volume !== undefined)
        await step(`attach ${id}`, () => {
          disk.noted.set(id, sourceOf(storage));
          disk.attach(id);
        });
      const device = disk.devices.get(id);
      const path = type === 'block' ? `/dev/${device}` : `/srv/${id}`;
      await step(`mount ${id}`, () => {
        disk.noted.set(id, sourceOf(storage));
        disk.mounted.set(id, path);
      });
      return { path, ...defined({ device }) };
    },
    unmount: ({ id }) => step(`unmount ${id}`, () => undo(id)),
    destroy: (storage) =>
      step(`destroy ${storage.id}`, () => {
        undo(storage.id);
        disk.folders.delete(placeOf(storage));
      }),
    mounted: () => Promise.resolve([...disk.noted.keys()]),
    forget: (id) => step(`unmount ${id}`, () => undo(id)),
  };
}

/**
 * Returns where a machine has storage of its own: the file of its volume, or the folder of a file system without one.
 */
export function placeOf({
  provider,
  volume,
  number,
}: Pick<StorageRecord, 'provider' | 'volume' | 'number'>): string {
  return `${provider}/${volume === undefined ? `folder ${number}` : volume}`;
}
