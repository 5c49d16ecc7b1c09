import type { StorageDoc } from '../core/storage/document.ts';

/** Returns a storage of a unit, mounted on its machine. */
export function storageDoc(id: string, more: Partial<StorageDoc> = {}): StorageDoc {
  return {
    id,
    name: id.split('/')[0] ?? id,
    type: 'filesystem',
    pool: 'rootfs',
    provider: 'rootfs',
    attributes: {},
    size: 1024,
    number: id.split('/')[1] ?? '0',
    detachable: false,
    createdAt: '2026-01-01T00:00:00Z',
    since: '2026-01-01T00:00:00Z',
    ...more,
  };
}

/** Returns the use of a storage by a unit. */
export function attachedTo(unit: string): Pick<StorageDoc, 'attachment'> {
  return { attachment: { unit, life: 'alive', location: '', readOnly: false } };
}
