import { volumeOf, type StorageDoc } from '../../../core/storage/document.ts';
import { storageStatus } from '../../../core/storage/status.ts';
import type {
  FilesystemDetails,
  StorageDetails,
  VolumeDetails,
} from '../../../wire/facades/storage-details.ts';
import { formatTag, machineTag, unitTag } from '../../../wire/tags.ts';
import { defined } from '../../../core/defined.ts';

export function storageDetails(doc: StorageDoc): StorageDetails {
  const { id, type, attachment, machine, mounted, detachable } = doc;
  const tag = formatTag({ kind: 'storage', id });
  return {
    'storage-tag': tag,
    'owner-tag': attachment ? unitTag(attachment.unit) : '',
    kind: type === 'block' ? 1 : 2,
    status: statusOf(doc),
    life: doc.ending ? 'dying' : 'alive',
    persistent: detachable,
    ...(attachment && {
      attachments: {
        [unitTag(attachment.unit)]: {
          'storage-tag': tag,
          'unit-tag': unitTag(attachment.unit),
          'machine-tag': machine === undefined ? '' : machineTag(machine),
          life: attachment.life,
          ...defined({ location: mounted }),
        },
      },
    }),
  };
}

/** The file system of a storage; undefined for one that is no file system, or has no place yet. */
export function filesystemDetails(doc: StorageDoc): FilesystemDetails | undefined {
  const { type, number, volume, pool, made, attachment, mounted } = doc;
  if (type !== 'filesystem' || !hasPlace(doc)) return undefined;
  const tag = formatTag({ kind: 'filesystem', id: number });
  const info = {
    ...defined({
      'mount-point': mounted || undefined,
      'read-only': attachment ? attachment.readOnly : undefined,
    }),
  };
  return {
    'filesystem-tag': tag,
    ...defined({
      'volume-tag': volume === undefined ? undefined : formatTag({ kind: 'volume', id: volume }),
    }),
    // Juju names a file system on a volume after its tag.
    info: { 'filesystem-id': volume === undefined || !made ? providerId(doc) : tag, pool, size: sizeOf(doc) },
    ...common(doc, { ...info, FilesystemAttachmentInfo: info }),
  };
}

/** The volume of a storage; undefined for one that has none, or no place yet. */
export function volumeDetails(doc: StorageDoc): VolumeDetails | undefined {
  const { pool, attachment, device, detachable } = doc;
  const number = volumeOf(doc);
  if (number === undefined || !hasPlace(doc)) return undefined;
  const info = defined({
    'device-name': device,
    'read-only': attachment ? attachment.readOnly : undefined,
  });
  return {
    'volume-tag': formatTag({ kind: 'volume', id: number }),
    info: { 'volume-id': providerId(doc), pool, size: sizeOf(doc), persistent: detachable },
    ...common(doc, { ...info, VolumeAttachmentInfo: info }),
  };
}

function hasPlace({ machine, detachable }: StorageDoc): boolean {
  return machine !== undefined || detachable;
}

function providerId({ made }: StorageDoc): string {
  return made?.providerId ?? '';
}

function sizeOf({ made, size }: StorageDoc): number {
  return made?.size ?? size;
}

/** Members that file systems and volumes have in common. */
function common<T extends object>(doc: StorageDoc, attachment: T) {
  const { machine, attachment: itsUnit } = doc;
  const shown = { ...attachment, life: itsUnit?.life ?? ('dying' as const) };
  return {
    status: statusOf(doc),
    life: doc.ending ? ('dying' as const) : ('alive' as const),
    ...(machine !== undefined && { 'machine-attachments': { [machineTag(machine)]: shown } }),
    ...(itsUnit && { 'unit-attachments': { [unitTag(itsUnit.unit)]: shown } }),
    storage: storageDetails(doc),
  };
}

function statusOf(doc: StorageDoc): StorageDetails['status'] {
  const { status, message, data, since } = storageStatus(doc);
  return { status, info: message, ...defined({ data }), since };
}
