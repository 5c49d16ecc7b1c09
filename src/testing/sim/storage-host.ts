/** Storage of a simulated machine: folders, mounts and what is written there. Volumes of the cloud outlive it. */
import type { StorageHost } from '../../agent/machine/storage-worker.ts';
import type { SimulatedCloud, SimulatedVolume, VolumeEnd } from '../../providers/clouds/simulated/index.ts';
import { volumesAt } from '../../providers/contract/volumes.ts';
import type { StorageRecord } from '../../wire/agent-records.ts';
import type { Faults } from './faults.ts';
import type { SimProcess } from './process.ts';
import type { UsedStorage } from './world.ts';

/** What is on a machine's own disk. */
export class StorageDisk {
  /** Folders by the path of the storage: `rootfs/0/3`. */
  readonly folders = new Map<string, UsedStorage>();
  /** Mounts that were written down, by storage, with what they show. */
  readonly noted = new Map<string, UsedStorage>();
  /** Ids of the storage that is mounted; a reboot ends that. */
  readonly mounted = new Set<string>();

  /** What a charm sees of its storage; undefined = it is not mounted. */
  use(id: string): UsedStorage | undefined {
    return this.mounted.has(id) ? this.noted.get(id) : undefined;
  }

  /** The machine was turned off. */
  off(): void {
    this.mounted.clear();
  }
}

/** Contents of the cloud's volumes. */
export class VolumeContents {
  readonly #contents = new Map<string, UsedStorage>();

  of({ modelUuid, id }: Pick<SimulatedVolume, 'modelUuid' | 'id'>): UsedStorage {
    const key = `${modelUuid} ${id}`;
    let contents = this.#contents.get(key);
    if (!contents) this.#contents.set(key, (contents = { text: '' }));
    return contents;
  }
}

/** Something that happened to a volume: `inUse` while a machine shows it to a charm. */
export interface VolumeEvent {
  readonly volume: SimulatedVolume;
  readonly how: VolumeEnd | 'detached';
  readonly inUse: boolean;
}

const stepMs = [5, 2_000] as const;

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
  /** Takes its time, and fails before it has done anything or thereafter. */
  const step = async (what: string, act: () => void): Promise<void> => {
    await process.clock.sleep(process.random.skewed(...stepMs));
    const fails = faults.happens('mount-failed');
    const isDone = !fails || faults.stream('mount-failed').chance(0.5);
    if (isDone && process.does('storage', what)) act();
    if (fails) throw new Error('simulated mount-failed');
  };
  const sourceOf = ({ id, detachable, provider, number }: StorageRecord): UsedStorage => {
    if (!detachable) {
      const contents = disk.folders.get(`${provider}/${number}`);
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
  };
  return {
    async make(storage) {
      const path = `${storage.provider}/${storage.number}`;
      await step(`make ${storage.id}`, () => {
        if (!disk.folders.has(path)) disk.folders.set(path, { text: '', instance });
      });
      return storage.size;
    },
    async mount(storage) {
      await step(`mount ${storage.id}`, () => {
        disk.noted.set(storage.id, sourceOf(storage));
        disk.mounted.add(storage.id);
      });
      return `/srv/${storage.id}`;
    },
    unmount: ({ id }) => step(`unmount ${id}`, () => undo(id)),
    destroy: ({ id, provider, number }) =>
      step(`destroy ${id}`, () => {
        undo(id);
        disk.folders.delete(`${provider}/${number}`);
      }),
    mounted: () => Promise.resolve([...disk.noted.keys()]),
    forget: (id) => step(`unmount ${id}`, () => undo(id)),
  };
}
