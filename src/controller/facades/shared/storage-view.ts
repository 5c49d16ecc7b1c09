import type { StorageDoc } from '../../../core/storage/document.ts';
import { storageStatus } from '../../../core/storage/status.ts';
import type { FilesystemDetails, StorageDetails } from '../../../wire/facades/storage-details.ts';
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
          ...defined({ 'machine-tag': machine === undefined ? undefined : machineTag(machine) }),
          life: attachment.life,
          ...defined({ location: mounted }),
        },
      },
    }),
  };
}

/** The file system of a storage; undefined for one that is no file system, or has no place yet. */
export function filesystemDetails(doc: StorageDoc): FilesystemDetails | undefined {
  const { type, number, pool, size, made, machine, attachment, mounted, detachable } = doc;
  if (type !== 'filesystem' || (machine === undefined && !detachable)) return undefined;
  const info = {
    ...defined({
      'mount-point': mounted || undefined,
      'read-only': attachment ? attachment.readOnly : undefined,
    }),
  };
  const shown = { ...info, FilesystemAttachmentInfo: info, life: attachment?.life ?? ('dying' as const) };
  return {
    'filesystem-tag': formatTag({ kind: 'filesystem', id: number }),
    info: { 'filesystem-id': made?.providerId ?? '', pool, size: made?.size ?? size },
    status: statusOf(doc),
    life: doc.ending ? 'dying' : 'alive',
    ...(machine !== undefined && { 'machine-attachments': { [machineTag(machine)]: shown } }),
    ...(attachment && { 'unit-attachments': { [unitTag(attachment.unit)]: shown } }),
    storage: storageDetails(doc),
  };
}

function statusOf(doc: StorageDoc): StorageDetails['status'] {
  const { status, message, data, since } = storageStatus(doc);
  return { status, info: message, ...defined({ data }), since };
}
