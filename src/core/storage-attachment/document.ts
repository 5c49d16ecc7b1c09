import { ofUnit } from '../history/words.ts';
import { defineKind } from '../kind.ts';

/** Model space; id = `<storage>#<unit>`: the unit uses the storage (lives.md#storage-holds). */
export interface StorageAttachmentDoc {
  /** `data/0` */
  readonly storage: string;
  readonly unit: string;
  /** The unit's machine, when what is attached is a disk of its own. */
  readonly machine?: string;
  /** It outlives the machine. */
  readonly detachable: boolean;
}

/** `<storage>#<unit>` */
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
