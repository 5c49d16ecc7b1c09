import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf, mapOf } from './shared.ts';
import { filesystemDetails, storageDetails, volumeDetails } from './storage-details.ts';

const withError = <T extends z.ZodRawShape>(members: T) =>
  z.strictObject({ results: listOf(z.strictObject({ error: shared.wireError.optional(), ...members })) });

export const directive = z.object({
  pool: z.string().exactOptional(),
  /** Size in MiB. */
  size: z.int().exactOptional(),
  count: z.int().exactOptional(),
});
const attachments = z.object({
  ids: z.array(z.object({ 'storage-tag': z.string(), 'unit-tag': z.string() })),
});
const pool = z.object({ name: z.string(), provider: z.string(), attrs: z.record(z.string(), z.unknown()) });

export const storage = {
  name: 'Storage',
  versions: [6, 7],
  on: 'model',
  methods: {
    AddToUnit: {
      params: z.object({
        storages: z.array(z.object({ unit: z.string(), name: z.string(), storage: directive })),
      }),
      result: withError({ result: z.strictObject({ 'storage-tags': listOf(shared.tag) }).optional() }),
    },
    Attach: { params: attachments, result: shared.errorResults },
    CreatePool: { params: z.object({ pools: z.array(pool) }), result: shared.errorResults },
    DetachStorage: {
      params: z.object({
        ids: attachments,
        force: z.boolean().exactOptional(),
        'max-wait': z.int().exactOptional(),
      }),
      result: shared.errorResults,
    },
    Import: {
      params: z.object({
        storage: z.array(
          z.object({
            kind: z.int(),
            pool: z.string(),
            'provider-id': z.string(),
            'storage-name': z.string(),
            force: z.boolean().exactOptional(),
          }),
        ),
      }),
      result: withError({ result: z.strictObject({ 'storage-tag': shared.tag }).optional() }),
    },
    ListFilesystems: {
      params: z.object({ filters: z.array(z.object({ machines: z.array(z.string()).exactOptional() })) }),
      result: withError({ result: listOf(filesystemDetails).optional() }),
    },
    ListPools: {
      params: z.object({
        filters: z.array(
          z.object({
            names: z.array(z.string()).exactOptional(),
            providers: z.array(z.string()).exactOptional(),
          }),
        ),
      }),
      result: withError({
        'storage-pools': listOf(
          z.strictObject({ name: z.string(), provider: z.string(), attrs: mapOf(z.unknown()) }),
        ).optional(),
      }),
    },
    ListStorageDetails: {
      params: z.object({ filters: z.array(z.object({})) }),
      result: withError({ result: listOf(storageDetails).optional() }),
    },
    ListVolumes: {
      params: z.object({ filters: z.array(z.object({ machines: z.array(z.string()).exactOptional() })) }),
      result: withError({ result: listOf(volumeDetails).optional() }),
    },
    Remove: {
      params: z.object({
        storage: z.array(
          z.object({
            tag: z.string(),
            'destroy-attachments': z.boolean().exactOptional(),
            'destroy-storage': z.boolean().exactOptional(),
            force: z.boolean().exactOptional(),
            'max-wait': z.int().exactOptional(),
          }),
        ),
      }),
      result: shared.errorResults,
    },
    RemovePool: {
      params: z.object({ pools: z.array(z.object({ name: z.string() })) }),
      result: shared.errorResults,
    },
    StorageDetails: {
      params: shared.entities,
      result: withError({ result: storageDetails.optional() }),
    },
    UpdatePool: { params: z.object({ pools: z.array(pool) }), result: shared.errorResults },
  },
} as const satisfies FacadeSpec;
