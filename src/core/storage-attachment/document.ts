import { ofUnit } from '../history/words.ts';
import { defineKind } from '../kind.ts';

/** A unit's use of a storage (lives.md#storage-holds). Model space; id = `<storage>#<unit>`. */
export interface StorageAttachmentDoc {
  /** The storage's name: `data/0`. */
  readonly storage: string;
  readonly unit: string;
  /** The unit's machine, when a disk is attached to the machine itself. */
  readonly machine?: string;
  /** Whether the storage outlives the machine. */
  readonly detachable: boolean;
}

/** The id `<storage>#<unit>`. */
export function attachmentId({ storage, unit }: Pick<StorageAttachmentDoc, 'storage' | 'unit'>): string {
  return `${storage}#${unit}`;
}

export const storageAttachment = defineKind<StorageAttachmentDoc>()({
  space: 'model',
  idOf: attachmentId,
  indexes: {
    unit: (doc) => doc.unit,
    machine: (doc) => doc.machine,
  },
  findRemovedBy: ['unit'],
  upkeep: 'old',
  describe: (before, after) => {
    const attachment = after ?? before;
    if (!attachment || (before && after)) return [];
    const what = `storage ${attachment.storage} ${after ? 'attached' : 'detached'}`;
    return [{ ...ofUnit(attachment.unit), what }];
  },
});
