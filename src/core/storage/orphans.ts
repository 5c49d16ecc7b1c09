/** Volumes that the cloud has made, or taken, for storage that is gone (storage.md#orphaned-volumes). */
import type { StorageDoc, StorageEnding } from './document.ts';

/** Tag of a volume: the storage that it was made for. */
export const storageTag = 'juju-storage-instance';
/** Tag of a volume that was in the cloud before its storage: it has data of another owner. */
export const adoptedTag = 'juju-storage-adopted';

export interface TaggedVolume {
  readonly id: string;
  readonly tags: Readonly<Record<string, string>>;
  /** Ids of the instances that the volume is attached to. */
  readonly attachedTo: readonly string[];
}

interface OrphansPlan {
  /** Volumes whose storage has ended: each is destroyed or released, as the storage's data was. */
  readonly ends: readonly {
    readonly id: string;
    readonly storage: string;
    readonly how: StorageEnding;
    /** Instances that late calls have attached the volume to: nobody uses it there. */
    readonly attachedTo: readonly string[];
  }[];
  /** Ids of volumes of storage that the model does not know: people decide. */
  readonly unknown: readonly string[];
}

/**
 * `records`: the model's storage, read after the volumes were listed: a record precedes its volume. `removed`: the last
 * record of a storage that was removed; undefined = the history knows of none, as after a return to an older database,
 * or a migration. `modelGoes`: the model's volumes are destroyed next; adopted ones of unknown storage are released.
 */
export function planOrphans(
  volumes: readonly TaggedVolume[],
  records: Iterable<Pick<StorageDoc, 'id' | 'made'>>,
  {
    removed,
    modelGoes,
  }: {
    readonly removed: (storage: string) => Pick<StorageDoc, 'ending' | 'detachable'> | undefined;
    readonly modelGoes: boolean;
  },
): OrphansPlan {
  const storages = new Set<string>();
  const claimed = new Set<string>();
  for (const { id, made } of records) {
    storages.add(id);
    if (made) claimed.add(made.providerId);
  }
  const ends: OrphansPlan['ends'][number][] = [];
  const unknown: string[] = [];
  for (const { id, tags, attachedTo } of volumes) {
    const storage = tags[storageTag];
    if (storage === undefined || storages.has(storage) || claimed.has(id)) continue;
    const last = removed(storage);
    if (last?.detachable && last.ending) ends.push({ id, storage, how: last.ending, attachedTo });
    else if (modelGoes && tags[adoptedTag] !== undefined)
      ends.push({ id, storage, how: 'release', attachedTo });
    else unknown.push(id);
  }
  return { ends, unknown };
}
