/** Storage as the Storage facade and the full status describe it. */
import { z } from 'zod';
import * as shared from './shared.ts';
import { mapOf } from './shared.ts';

const status = z.strictObject({
  status: z.string(),
  info: z.string(),
  data: mapOf(z.unknown()).optional(),
  since: shared.time,
});

export const storageDetails = z.strictObject({
  'storage-tag': shared.tag,
  /** Tag of the unit that has the storage; '' when it is detached. */
  'owner-tag': z.string(),
  /** Kind of storage: 1 = block, 2 = filesystem. */
  kind: z.int(),
  status,
  life: shared.life.optional(),
  persistent: z.boolean(),
  /** Attachments by the unit's tag. */
  attachments: mapOf(
    z.strictObject({
      'storage-tag': shared.tag,
      'unit-tag': shared.tag,
      /** Tag of the machine; '' while the storage's unit has none. */
      'machine-tag': z.string(),
      location: z.string().optional(),
      life: shared.life.optional(),
    }),
  ).optional(),
});

const mount = z.strictObject({ 'mount-point': z.string().optional(), 'read-only': z.boolean().optional() });
/** Attachment with its mount twice: some clients read it from the member, others beside it. */
const filesystemAttachment = mount.extend({
  FilesystemAttachmentInfo: mount,
  life: shared.life.optional(),
});

export const filesystemDetails = z.strictObject({
  'filesystem-tag': shared.tag,
  'volume-tag': shared.tag.optional(),
  info: z.strictObject({ 'filesystem-id': z.string(), pool: z.string(), size: z.int() }),
  status,
  life: shared.life.optional(),
  'machine-attachments': mapOf(filesystemAttachment).optional(),
  'unit-attachments': mapOf(filesystemAttachment).optional(),
  storage: storageDetails.optional(),
});

const device = z.strictObject({ 'device-name': z.string().optional(), 'read-only': z.boolean().optional() });
/** Attachment with its device twice: some clients read it from the member, others beside it. */
const volumeAttachment = device.extend({ VolumeAttachmentInfo: device, life: shared.life.optional() });

export const volumeDetails = z.strictObject({
  'volume-tag': shared.tag,
  info: z.strictObject({ 'volume-id': z.string(), pool: z.string(), size: z.int(), persistent: z.boolean() }),
  status,
  life: shared.life.optional(),
  'machine-attachments': mapOf(volumeAttachment).optional(),
  'unit-attachments': mapOf(volumeAttachment).optional(),
  storage: storageDetails.optional(),
});

export type VolumeDetails = z.output<typeof volumeDetails>;
export type StorageDetails = z.output<typeof storageDetails>;
export type FilesystemDetails = z.output<typeof filesystemDetails>;
